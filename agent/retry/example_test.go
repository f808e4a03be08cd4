package retry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/retry"
)

// flaky stands for a provider: it is overloaded, then the connection breaks in
// the middle of an answer, then all is well.
func flaky() agent.ModelFunc {
	n := 0
	return func(_ context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
		n++
		m := agent.Message{StopReason: agent.StopError, Failure: &agent.Failure{Temporary: true}}
		switch n {
		case 1:
			m.ErrorMessage = "529 overloaded_error: Overloaded"
			return m, nil
		case 2:
			m.ErrorMessage = "the connection was cut before the answer was complete"
		case 3:
			m = agent.Message{StopReason: agent.StopStop, Content: []agent.Block{{Type: agent.BlockText, Text: "Hello!"}}}
		}
		for _, u := range []agent.AssistantUpdate{{Type: agent.UpdateStart}, {Type: agent.UpdateTextStart}, {Type: agent.UpdateTextDelta, Delta: "Hel"}} {
			if err := update(u); err != nil {
				return m, err
			}
		}
		return m, nil
	}
}

// A host that tells its observers of every attempt, and lets the agent continue
// when an answer broke in the middle.
func Example() {
	ctx := context.Background()
	policy := retry.Policy{Attempts: 3, Base: time.Millisecond}
	var a *agent.Agent
	model, err := retry.New(flaky(), policy, func(r retry.Retry) {
		a.Notify(agent.Notice{Kind: "retry", Text: fmt.Sprintf("attempt %d of %d: %s", r.Attempt, r.Of, r.Reason)})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	again := false // a broken answer is worth another run
	a, err = agent.New(agent.Options{Model: model, Observe: func(ev agent.Event) {
		switch ev := ev.(type) {
		case agent.Notice:
			fmt.Println("notice:", ev.Text)
		case agent.MessageEnd:
			fmt.Printf("%s: %s%s\n", ev.Message.Role, ev.Message.Text(), ev.Message.ErrorMessage)
		case agent.AgentEnd:
			again = retry.Broken(ev.Messages[len(ev.Messages)-1])
			ev.WillRetry = again
			fmt.Println("end of the run, will retry:", ev.WillRetry)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}

	err = a.Prompt(ctx, "Hi")
	for n := 1; err == nil && again; n++ {
		messages := a.State().Messages
		broken := messages[len(messages)-1]
		wait, ok := policy.Next(n, broken.Failure)
		if !ok {
			break
		}
		time.Sleep(wait) // or until ctx ends
		if err = a.SetMessages(messages[:len(messages)-1]...); err == nil {
			err = a.Continue(ctx)
		}
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// user: Hi
	// notice: attempt 2 of 3: 529 overloaded_error: Overloaded
	// assistant: the connection was cut before the answer was complete
	// end of the run, will retry: true
	// assistant: Hello!
	// end of the run, will retry: false
}
