package pijson

import (
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// The kinds of notice.
const (
	noticeRetry      = "retry"
	noticeCompaction = "compaction"
	noticeExtension  = "extension"
	noticeThinking   = "thinking"
)

// noticeReader returns what reads lines of a type that becomes a notice; nil
// if it is none of those either.
func (d *decoder) noticeReader(typ string) func() error {
	var kind string
	var say func(*words) string
	switch typ {
	case "auto_retry_start":
		kind, say = noticeRetry, (*words).retryStart
	case "auto_retry_end":
		kind, say = noticeRetry, (*words).retryEnd
	case "summarization_retry_scheduled":
		kind, say = noticeCompaction, (*words).summaryRetry
	case "compaction_start", "auto_compaction_start":
		kind, say = noticeCompaction, (*words).compactionStart
	case "compaction_end", "auto_compaction_end":
		kind, say = noticeCompaction, (*words).compactionEnd
	case "extension_error", "hook_error":
		kind, say = noticeExtension, (*words).extensionError
	case "extension_ui_request", "hook_ui_request":
		kind, say = noticeExtension, (*words).extensionRequest
	case "thinking_level_change", "thinking_level_changed":
		kind, say = noticeThinking, (*words).thinkingLevel
	default:
		return nil
	}
	return func() error {
		var w words
		if err := d.c.object(func(name string) error { return d.word(&w, name) }); err != nil {
			return err
		}
		if text := say(&w); text != "" {
			d.emit(agent.Notice{Kind: kind, Text: text})
		} else {
			d.rec.Skipped = typ
		}
		return nil
	}
}

// words are the fields that notices are made of. All are read leniently: a
// notice with a word missing is better than none.
type words struct {
	attempt, maxAttempts, delayMs int64
	success, aborted, willRetry   bool
	hasResult                     bool
	tokensBefore, tokensAfter     int64
	errorMessage, finalError      string
	reason, level                 string
	event, err                    string
	method, title, message        string
}

func (d *decoder) word(w *words, name string) error {
	switch name {
	case "attempt":
		return d.c.laxInt(&w.attempt)
	case "maxAttempts":
		return d.c.laxInt(&w.maxAttempts)
	case "delayMs":
		return d.c.laxInt(&w.delayMs)
	case "success":
		return d.c.laxBool(&w.success)
	case "aborted":
		return d.c.laxBool(&w.aborted)
	case "willRetry":
		return d.c.laxBool(&w.willRetry)
	case "errorMessage":
		return d.c.text(&w.errorMessage)
	case "finalError":
		return d.c.text(&w.finalError)
	case "reason":
		return d.c.laxStr(&w.reason)
	case "level", "thinkingLevel":
		return d.c.laxStr(&w.level)
	case "event":
		return d.c.laxStr(&w.event)
	case "error":
		return d.c.text(&w.err)
	case "method":
		return d.c.laxStr(&w.method)
	case "title":
		return d.c.text(&w.title)
	case "message":
		return d.c.text(&w.message)
	case "result":
		return d.compactionResult(w)
	}
	return d.c.skip()
}

func (d *decoder) compactionResult(w *words) error {
	if d.c.kind() != '{' {
		return d.c.skip()
	}
	w.hasResult = true
	return d.c.object(func(name string) error {
		switch name {
		case "tokensBefore":
			return d.c.laxInt(&w.tokensBefore)
		case "estimatedTokensAfter":
			return d.c.laxInt(&w.tokensAfter)
		}
		return d.c.skip()
	})
}

func (w *words) retryStart() string {
	return w.attemptText("Retry") + because(w.errorMessage)
}

func (w *words) retryEnd() string {
	if w.success {
		return "The retry succeeded"
	}
	return "Gave up retrying" + because(w.finalError)
}

func (w *words) summaryRetry() string {
	return w.attemptText("The summary failed; retry") + because(w.errorMessage)
}

func (w *words) attemptText(what string) string {
	if w.attempt > 0 {
		what += fmt.Sprintf(" %d", w.attempt)
	}
	if w.maxAttempts > 0 {
		what += fmt.Sprintf(" of %d", w.maxAttempts)
	}
	// A day bounds what a time.Duration has to hold.
	if ms := min(w.delayMs, 24*60*60*1000); ms > 0 {
		what += " in " + (time.Duration(ms) * time.Millisecond).String()
	}
	return what
}

func (w *words) compactionStart() string {
	text := "Compacting the context"
	if w.reason != "" {
		text += " (" + w.reason + ")"
	}
	return text
}

func (w *words) compactionEnd() string {
	switch {
	case w.aborted:
		return "Compaction aborted"
	case w.errorMessage != "":
		return "Compaction failed" + because(w.errorMessage)
	case !w.hasResult:
		return "Compaction ended without a result"
	}
	text := "Context compacted"
	if w.tokensBefore > 0 {
		text += fmt.Sprintf(": %d tokens before", w.tokensBefore)
		if w.tokensAfter > 0 {
			text += fmt.Sprintf(", about %d after", w.tokensAfter)
		}
	}
	return text
}

func (w *words) extensionError() string {
	if w.event == "" {
		return "Extension error" + because(w.err)
	}
	return "Extension error in " + w.event + because(w.err)
}

// extensionRequest is what an extension asks or tells the user. The other
// methods (status, widget, title, editor text) draw Pi's own screen.
func (w *words) extensionRequest() string {
	switch w.method {
	case "notify":
		return w.message
	case "select", "confirm", "input", "editor":
		return "Asks: " + w.title + because(w.message)
	}
	return ""
}

func (w *words) thinkingLevel() string {
	if w.level == "" {
		return ""
	}
	return "Thinking level: " + w.level
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}
