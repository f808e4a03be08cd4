package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/ringside-hub/ringside/agent/internal/provider"
)

// DefaultBaseURL is OpenAI's own API.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options say which model is asked, and how. Only Model is required.
type Options struct {
	// Model is the name that the server knows.
	Model string
	// BaseURL is what "/chat/completions" is appended to: DefaultBaseURL by
	// default.
	BaseURL string
	// APIKey is sent as a bearer token; none if it is empty. It never appears in
	// a message or an error.
	APIKey string
	// Header is sent along with each request. Its values are kept out of error
	// messages like the key.
	Header http.Header
	// Provider is the name in agent.Message.Provider: "openai" by default.
	Provider string
	// MaxTokens bounds the answer; 0 leaves it to the server. It is sent as
	// max_completion_tokens to OpenAI and as max_tokens to all others.
	MaxTokens int64
	// Temperature is left to the server if nil.
	Temperature *float64
	// ReasoningEffort (low, medium, high, …) is left to the server if empty.
	ReasoningEffort string
	// NoStreamUsage is for servers that refuse stream_options. The usage is not
	// known then, unless they send it unasked.
	NoStreamUsage bool
	// Client makes the requests: http.DefaultClient by default. Its Timeout
	// would count for whole answers.
	Client *http.Client
}

// Model asks one model of one server.
type Model struct {
	opts    Options    // static
	client  sdk.Client // static
	secrets []string   // static
}

// New checks the options. It does not connect.
func New(o Options) (*Model, error) {
	if o.Model == "" {
		return nil, errors.New("openai: Options.Model is empty")
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if err := provider.CheckBaseURL(o.BaseURL); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	if o.MaxTokens < 0 {
		return nil, fmt.Errorf("openai: Options.MaxTokens is %d: want tokens, or 0 for the server's default", o.MaxTokens)
	}
	if o.Provider == "" {
		o.Provider = "openai"
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	m := &Model{opts: o}
	// sdk.NewClient would read the environment.
	m.client.Options = []option.RequestOption{
		option.WithBaseURL(o.BaseURL), option.WithHTTPClient(o.Client), option.WithMaxRetries(0),
		option.WithMiddleware(refusal),
	}
	if o.APIKey != "" {
		m.client.Options = append(m.client.Options, option.WithAPIKey(o.APIKey))
		m.secrets = append(m.secrets, o.APIKey)
	}
	for name, values := range o.Header {
		for _, v := range values {
			m.client.Options = append(m.client.Options, option.WithHeaderAdd(name, v))
			m.secrets = append(m.secrets, v)
			if _, credential, ok := strings.Cut(v, " "); ok { // after the scheme
				m.secrets = append(m.secrets, strings.TrimSpace(credential))
			}
		}
	}
	// The longest first, so that a part does not spoil the whole.
	slices.SortFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	return m, nil
}

func (m *Model) isOpenAI() bool {
	u, err := url.Parse(m.opts.BaseURL)
	return err == nil && u.Hostname() == "api.openai.com"
}
