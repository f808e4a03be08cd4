package retry_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/retry"
)

// attempts is a model that answers each request with the next of its answers.
type attempts struct {
	answers []answer
	made    int
	at      []time.Duration // since the first
	began   time.Time
}

type answer struct {
	updates []agent.UpdateType
	message agent.Message
	err     error
	silent  bool // until the context ends
}

func (a *attempts) Stream(ctx context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
	if a.made == 0 {
		a.began = time.Now()
	}
	a.at = append(a.at, time.Since(a.began))
	next := a.answers[a.made]
	a.made++
	for _, u := range next.updates {
		if err := update(agent.AssistantUpdate{Type: u}); err != nil {
			return agent.Message{}, err
		}
	}
	if next.silent {
		<-ctx.Done()
		return agent.Message{StopReason: agent.StopAborted, ErrorMessage: "Request was aborted"}, nil
	}
	return next.message, next.err
}

func failed(f agent.Failure) answer {
	return answer{message: agent.Message{StopReason: agent.StopError, ErrorMessage: "it failed", Failure: &f}}
}

var (
	good     = answer{updates: []agent.UpdateType{agent.UpdateStart, agent.UpdateTextStart}, message: agent.Message{StopReason: agent.StopStop}}
	overload = agent.Failure{Status: 529, Temporary: true}
)

func streamed(a answer, updates ...agent.UpdateType) answer {
	a.updates = updates
	return a
}

// most is the largest jitter; the smallest is 0.
func most() float64 { return math.Nextafter(1, 0) }

func TestModel(t *testing.T) {
	s := time.Second
	asks := func(d time.Duration) agent.Failure {
		return agent.Failure{Status: 429, Temporary: true, RetryAfter: d}
	}
	for name, c := range map[string]struct {
		answers []answer
		policy  retry.Policy
		stop    agent.StopReason
		at      []time.Duration // of the attempts
		updates string
		broken  bool
	}{
		"good at once":        {answers: []answer{good}, stop: "stop", at: []time.Duration{0}, updates: "start text_start"},
		"good after failures": {answers: []answer{failed(overload), failed(agent.Failure{Temporary: true}), good}, stop: "stop", at: []time.Duration{0, s, 3 * s}, updates: "start text_start"},
		"five attempts":       {answers: slices.Repeat([]answer{failed(overload)}, 6), stop: "error", at: []time.Duration{0, s, 3 * s, 7 * s, 15 * s}},
		"waits are bounded": {answers: slices.Repeat([]answer{failed(overload)}, 9), policy: retry.Policy{Attempts: 8}, stop: "error",
			at: []time.Duration{0, s, 3 * s, 7 * s, 15 * s, 31 * s, 61 * s, 91 * s}},
		"one attempt":             {answers: []answer{failed(overload)}, policy: retry.Policy{Attempts: 1}, stop: "error", at: []time.Duration{0}},
		"not temporary":           {answers: []answer{failed(agent.Failure{Status: 400})}, stop: "error", at: []time.Duration{0}},
		"no failure":              {answers: []answer{{message: agent.Message{StopReason: agent.StopError}}}, stop: "error", at: []time.Duration{0}},
		"aborted":                 {answers: []answer{{message: agent.Message{StopReason: agent.StopAborted}}}, stop: "aborted", at: []time.Duration{0}},
		"the provider asks":       {answers: []answer{failed(asks(20 * s)), good}, stop: "stop", at: []time.Duration{0, 21 * s}, updates: "start text_start"},
		"it asks for too much":    {answers: []answer{failed(asks(3 * time.Minute))}, stop: "error", at: []time.Duration{0}},
		"a start is no content":   {answers: []answer{streamed(failed(overload), agent.UpdateStart), good}, stop: "stop", at: []time.Duration{0, s}, updates: "start text_start"},
		"only a start":            {answers: []answer{streamed(good, agent.UpdateStart)}, stop: "stop", at: []time.Duration{0}},
		"content is final":        {answers: []answer{streamed(failed(overload), agent.UpdateStart, agent.UpdateThinkingStart)}, stop: "error", at: []time.Duration{0}, updates: "start thinking_start", broken: true},
		"silence":                 {answers: []answer{{silent: true}, good}, stop: "stop", at: []time.Duration{0, 601 * s}, updates: "start text_start"},
		"silence after a start":   {answers: []answer{{updates: []agent.UpdateType{agent.UpdateStart}, silent: true}, good}, policy: retry.Policy{Silence: s}, stop: "stop", at: []time.Duration{0, 2 * s}, updates: "start text_start"},
		"silence in the middle":   {answers: []answer{{updates: []agent.UpdateType{agent.UpdateStart, agent.UpdateTextStart}, silent: true}}, stop: "error", at: []time.Duration{0}, updates: "start text_start", broken: true},
		"no patience, no retries": {answers: []answer{{silent: true}, {silent: true}}, policy: retry.Policy{Attempts: 2, Silence: s}, stop: "error", at: []time.Duration{0, 2 * s}},
	} {
		synctest.Test(t, func(t *testing.T) {
			inner := &attempts{answers: c.answers}
			c.policy.Rand = most
			told := 0
			m, err := retry.New(inner, c.policy, func(r retry.Retry) {
				told++
				if r.Attempt != told+1 || r.Of < r.Attempt || r.Reason == "" || !r.Failure.Temporary {
					t.Errorf("%s: retry %d is %+v", name, told, r)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			var updates []string
			msg, err := m.Stream(t.Context(), agent.Request{}, func(u agent.AssistantUpdate) error {
				updates = append(updates, string(u.Type))
				return nil
			})
			if err != nil || msg.StopReason != c.stop {
				t.Errorf("%s: got %s %q, %v", name, msg.StopReason, msg.ErrorMessage, err)
			}
			for i := range inner.at {
				inner.at[i] = inner.at[i].Round(time.Millisecond)
			}
			if !slices.Equal(inner.at, c.at) {
				t.Errorf("%s: attempts at %v, want %v", name, inner.at, c.at)
			}
			if got := strings.Join(updates, " "); got != c.updates {
				t.Errorf("%s: updates %q, want %q", name, got, c.updates)
			}
			if told != len(c.at)-1 {
				t.Errorf("%s: %d retries told, %d made", name, told, len(c.at)-1)
			}
			if retry.Broken(msg) != c.broken {
				t.Errorf("%s: Broken is %v: %+v", name, !c.broken, msg.Failure)
			}
		})
	}
}

func TestJitter(t *testing.T) {
	for _, f := range []float64{0, 0.25, 0.5} {
		p := retry.Policy{Rand: func() float64 { return f }}
		for attempt, longest := range []time.Duration{1: 1, 2: 2, 3: 4, 4: 8} {
			if attempt == 0 {
				continue
			}
			want := time.Duration(f * float64(longest*time.Second))
			if got, again := p.Next(attempt, &overload); got != want || !again {
				t.Errorf("Rand %v, attempt %d: %v %v, want %v", f, attempt, got, again, want)
			}
		}
	}
	// The default is random, and within its bounds.
	seen := map[time.Duration]bool{}
	for range 100 {
		wait, again := retry.Policy{}.Next(4, &overload)
		if !again || wait < 0 || wait >= 8*time.Second {
			t.Fatalf("waits %v %v", wait, again)
		}
		seen[wait] = true
	}
	if len(seen) < 50 {
		t.Errorf("100 waits are of %d lengths", len(seen))
	}
}

func TestAbortWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &attempts{answers: []answer{failed(agent.Failure{Temporary: true, RetryAfter: time.Minute})}}
		m, err := retry.New(inner, retry.Policy{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		msg, err := m.Stream(ctx, agent.Request{}, func(agent.AssistantUpdate) error { return nil })
		if took := time.Since(began); err != nil || msg.StopReason != agent.StopAborted || msg.Failure != nil || took != 10*time.Second {
			t.Errorf("got %s %q after %v, %v", msg.StopReason, msg.ErrorMessage, took, err)
		}
	})
}

// Listeners may take their time.
func TestSlowListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := retry.New(&attempts{answers: []answer{good}}, retry.Policy{Silence: time.Second}, nil)
		if err != nil {
			t.Fatal(err)
		}
		msg, err := m.Stream(t.Context(), agent.Request{}, func(agent.AssistantUpdate) error {
			time.Sleep(time.Hour)
			return nil
		})
		if err != nil || msg.StopReason != agent.StopStop {
			t.Errorf("got %s %q, %v", msg.StopReason, msg.ErrorMessage, err)
		}
	})
}

func TestErrorsGoThrough(t *testing.T) {
	broke := errors.New("broke")
	m, err := retry.New(&attempts{answers: []answer{good, {err: broke}}}, retry.Policy{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Stream(t.Context(), agent.Request{}, func(agent.AssistantUpdate) error { return broke }); !errors.Is(err, broke) {
		t.Errorf("a refused update: %v", err)
	}
	if _, err := m.Stream(t.Context(), agent.Request{}, func(agent.AssistantUpdate) error { return nil }); !errors.Is(err, broke) {
		t.Errorf("an error of the model: %v", err)
	}
}

func TestBadPolicy(t *testing.T) {
	for want, p := range map[string]retry.Policy{
		"retry: Policy.Attempts is -1: want 1 or more, or 0 for the default": {Attempts: -1},
		"retry: a time of the Policy is negative":                            {Base: -1},
	} {
		if _, err := retry.New(&attempts{}, p, nil); err == nil || err.Error() != want {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := retry.New(nil, retry.Policy{}, nil); err == nil {
		t.Error("no model is accepted")
	}
}
