package agent

import "slices"

// SetModel changes the model of future runs.
func (a *Agent) SetModel(m Model) error {
	return a.configure(func() { a.model = m })
}

// SetSystem changes the system prompt of future runs.
func (a *Agent) SetSystem(text string) error {
	return a.configure(func() { a.system = text })
}

// SetTools changes the tools of future runs, or refuses them as New does.
func (a *Agent) SetTools(tools ...Tool) error {
	set, err := NewToolset(tools...)
	if err != nil {
		return err
	}
	return a.configure(func() { a.tools = set })
}

// SetMessages replaces the conversation and clears the error message. With none
// it begins anew.
func (a *Agent) SetMessages(messages ...Message) error {
	return a.configure(func() {
		a.messages, a.errorMessage = slices.Clone(messages), ""
	})
}

// configure changes an idle agent.
func (a *Agent) configure(change func()) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		return ErrBusy
	}
	change()
	return nil
}
