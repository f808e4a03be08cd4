package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/anthropic"
	"github.com/ringside-hub/ringside/agent/openai"
	"github.com/ringside-hub/ringside/agent/scripted"
)

// modelFlags say which model answers. Keys come from the environment only: a
// command line can be read by every process of the machine.
type modelFlags struct {
	Model   string `help:"Model that answers: openai:NAME, anthropic:NAME or scripted:FILE. Keys are read from OPENAI_API_KEY and ANTHROPIC_API_KEY." required:"" placeholder:"KIND:NAME" env:"RINGSIDE_MODEL"`
	BaseURL string `help:"Address of a server that speaks like the provider, such as http://127.0.0.1:8080/v1." placeholder:"URL" env:"RINGSIDE_BASE_URL"`
}

// open makes the model and a name of it for people.
func (f modelFlags) open(environ []string) (agent.Model, string, error) {
	kind, name, _ := strings.Cut(f.Model, ":")
	if name == "" {
		return nil, "", fmt.Errorf("--model %q: want openai:NAME, anthropic:NAME or scripted:FILE", f.Model)
	}
	m, err := f.make(kind, name, environ)
	if err != nil {
		return nil, "", fmt.Errorf("--model %s: %w", f.Model, err)
	}
	if kind == "scripted" {
		name = filepath.Base(name)
	}
	return m, kind + "/" + name, nil
}

func (f modelFlags) make(kind, name string, environ []string) (agent.Model, error) {
	switch kind {
	case "openai":
		key, err := f.key(environ, "OPENAI_API_KEY")
		if err != nil {
			return nil, err
		}
		return openai.New(openai.Options{Model: name, BaseURL: f.BaseURL, APIKey: key})
	case "anthropic":
		key, err := f.key(environ, "ANTHROPIC_API_KEY")
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Options{Model: name, BaseURL: f.BaseURL, APIKey: key})
	case "scripted":
		return openScript(name)
	}
	return nil, fmt.Errorf("there is no kind %q: there are openai, anthropic and scripted", kind)
}

// key reads a provider's key. Other servers may need none.
func (f modelFlags) key(environ []string, name string) (string, error) {
	for _, line := range environ {
		if value, ok := strings.CutPrefix(line, name+"="); ok && value != "" {
			return value, nil
		}
	}
	if f.BaseURL == "" {
		return "", fmt.Errorf("%s is not set; a server that needs no key is named with --base-url", name)
	}
	return "", nil
}

const maxScript = 16 << 20 // bytes

func openScript(file string) (agent.Model, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxScript {
		return nil, errors.New("the script has more than 16 MiB")
	}
	script, err := scripted.Parse(data)
	if err != nil {
		return nil, err
	}
	return scripted.New(script), nil
}
