package agent

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Failure says how a request failed at its provider.
type Failure struct {
	// Status is the HTTP status of the answer, or the one that the provider's
	// own word for the error stands for; 0 if there was no whole answer.
	Status int
	// Temporary says that the same request may succeed later.
	Temporary bool
	// RetryAfter is how long the provider asks to wait; 0 if it does not say.
	RetryAfter time.Duration
}

// HTTPFailure reads a Failure from the status and the header (Retry-After,
// Retry-After-Ms, X-Should-Retry) of an HTTP answer. header returns the value of
// a field, as http.Header.Get does; nil stands for an answer without a header.
func HTTPFailure(status int, header func(name string) string) *Failure {
	f := &Failure{Status: status, Temporary: temporary(status)}
	if header == nil {
		return f
	}
	switch header("X-Should-Retry") {
	case "true":
		f.Temporary = true
	case "false":
		f.Temporary = false
	}
	if wait, ok := waitOf(header("Retry-After-Ms"), time.Millisecond); ok {
		f.RetryAfter = wait
	} else {
		f.RetryAfter = retryAfter(header("Retry-After"))
	}
	return f
}

func temporary(status int) bool {
	switch status {
	case 408, 409, 425, 429:
		return true
	case 501, 505:
		return false
	}
	return status >= 500
}

// retryAfter reads seconds or a date.
func retryAfter(value string) time.Duration {
	if wait, ok := waitOf(value, time.Second); ok {
		return wait
	}
	if at, err := time.Parse(time.RFC1123, value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

func waitOf(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if math.IsInf(n, 1) { // too large to be a number is still a long time
		return math.MaxInt64, true
	}
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	if n >= float64(math.MaxInt64)/float64(unit) {
		return math.MaxInt64, true
	}
	return time.Duration(n * float64(unit)), true
}

const maxErrorText = 500

// ErrorText makes an ErrorMessage of what a provider or a connection said: one
// line of at most 500 bytes, valid UTF-8, in which each of the secrets is
// replaced by [hidden].
func ErrorText(text string, secrets ...string) string {
	for _, s := range secrets {
		// A shorter one is no secret, and would hide half of the text.
		const least = 4
		if len(s) >= least {
			text = strings.ReplaceAll(text, s, "[hidden]")
		}
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if len(text) <= maxErrorText {
		return text
	}
	const more = " …"
	n := maxErrorText - len(more)
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + more
}
