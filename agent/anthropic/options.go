package anthropic

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/ringside-hub/ringside/agent/internal/provider"
)

const (
	// DefaultBaseURL is Anthropic's own API.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultMaxTokens is what an answer may have if Options do not say.
	DefaultMaxTokens = 32_000
)

// Options say which model is asked, and how. Only Model is required.
type Options struct {
	// Model is the name that the server knows.
	Model string
	// BaseURL is what "/v1/messages" is appended to: DefaultBaseURL by default.
	// It may end in /v1.
	BaseURL string
	// APIKey is sent as a bearer token, and to other servers than Anthropic's,
	// some of which know the older way only, as X-Api-Key, too; none if it is
	// empty. It never appears in a message or an error.
	APIKey string
	// Header is sent along with each request. Its values are kept out of error
	// messages like the key.
	Header http.Header
	// Provider is the name in agent.Message.Provider: "anthropic" by default.
	Provider string
	// MaxTokens bounds the answer with its thinking: DefaultMaxTokens by default.
	MaxTokens int64
	// Effort (low, medium, high, …) makes the model think as it sees fit, and
	// says how much it should take upon itself. Older models do not know it.
	Effort string
	// ThinkingBudget makes an older model think, for at most so many tokens: at
	// least 1024, and fewer than MaxTokens. Newer models refuse it. With neither
	// Effort nor a budget, the model does what it does by default.
	ThinkingBudget int64
	// NoCache is for servers that do not know cache_control. Otherwise each
	// request lets the provider keep its beginning for the next one.
	NoCache bool
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
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Model{opts: o}
	// sdk.NewClient would read the environment.
	m.client.Options = []option.RequestOption{
		option.WithBaseURL(o.BaseURL), option.WithHTTPClient(o.Client), option.WithMaxRetries(0),
		option.WithMiddleware(refusal),
	}
	if o.APIKey != "" {
		m.client.Options = append(m.client.Options, option.WithAPIKey(o.APIKey))
		if o.BaseURL != DefaultBaseURL {
			m.client.Options = append(m.client.Options, option.WithHeader("X-Api-Key", o.APIKey))
		}
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

func (o Options) withDefaults() (Options, error) {
	if o.Model == "" {
		return o, errors.New("anthropic: Options.Model is empty")
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if err := provider.CheckBaseURL(o.BaseURL); err != nil {
		return o, fmt.Errorf("anthropic: %w", err)
	}
	o.BaseURL = strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/v1")
	if o.MaxTokens < 0 {
		return o, fmt.Errorf("anthropic: Options.MaxTokens is %d: want tokens, or 0 for %d", o.MaxTokens, DefaultMaxTokens)
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	const least = 1024
	if b := o.ThinkingBudget; b != 0 && (b < least || b >= o.MaxTokens) {
		return o, fmt.Errorf("anthropic: Options.ThinkingBudget is %d: want %d or more, and fewer than the %d of MaxTokens", b, least, o.MaxTokens)
	}
	if o.ThinkingBudget != 0 && o.Effort != "" {
		return o, errors.New("anthropic: Options.ThinkingBudget and Options.Effort exclude each other")
	}
	if o.Provider == "" {
		o.Provider = "anthropic"
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	return o, nil
}
