package pijson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/pijson"
)

// step is a line with one streaming step; delta is the raw JSON of its string.
func step(typ string, index int, delta string) string {
	return fmt.Sprintf(`{"type":"message_update","assistantMessageEvent":{"type":%q,"contentIndex":%d,"delta":"%s"}}`, typ, index, delta)
}

// streamed joins the deltas of each block, by type and index.
func streamed(t *testing.T, lines ...string) map[string]string {
	t.Helper()
	recs, _ := readAll(t, strings.NewReader(strings.Join(lines, "\n")+"\n"), pijson.Options{})
	texts := map[string]string{}
	for _, rec := range recs {
		for _, ev := range rec.Events {
			if u, ok := ev.(agent.MessageUpdate); ok {
				texts[fmt.Sprint(strings.TrimSuffix(string(u.Update.Type), "_delta"), u.Update.ContentIndex)] += u.Update.Delta
			}
		}
	}
	return texts
}

// Pi cuts its deltas between UTF-16 units: the halves of a character come
// together again, each block's own.
func TestHalvesOfCharacters(t *testing.T) {
	const (
		begin = `{"type":"message_start","message":{"role":"assistant","content":[]}}`
		bad   = "\uFFFD"
	)
	for name, tt := range map[string]struct {
		lines []string
		want  map[string]string
	}{
		"text": {
			[]string{step("text_delta", 0, `a\ud83d`), step("text_delta", 0, `\ude80b`)},
			map[string]string{"text0": "a🚀b"},
		},
		"alone": {
			[]string{step("thinking_delta", 0, `\uD83D`), step("thinking_delta", 0, `\uDE80`)},
			map[string]string{"thinking0": "🚀"},
		},
		"in a row": {
			[]string{step("text_delta", 0, `\ud83d`), step("text_delta", 0, `\ude80\ud83d`), step("text_delta", 0, `\ude81`)},
			map[string]string{"text0": "🚀🚁"},
		},
		"blocks side by side": {
			[]string{
				step("toolcall_delta", 0, `{\"a\ud83d`), step("toolcall_delta", 1, `{\"b\ud83d`), step("text_delta", 2, `c`),
				step("toolcall_delta", 1, `\ude81\"`), `{"type":"queue_update"}`, "garbage", step("toolcall_delta", 0, `\ude80\"`),
			},
			map[string]string{"toolcall0": `{"a🚀"`, "toolcall1": `{"b🚁"`, "text2": "c"},
		},
		"members in another order": {
			[]string{
				step("text_delta", 3, `\ud83d`),
				`{"assistantMessageEvent":{"delta" : "\ude80","contentIndex":3,"type":"text_delta"},"x":"\ud83d","type":"message_update"}`,
			},
			map[string]string{"text3": "🚀"},
		},
		"ill-formed UTF-8 on the line": {
			[]string{step("text_delta", 0, "\xff\xe2\x82"+`\ud83d`), step("text_delta", 0, `\ude80`+"\xff")},
			map[string]string{"text0": bad + bad + "🚀" + bad},
		},
		"no second half": {
			[]string{step("text_delta", 0, `a\ud83d`), step("text_delta", 0, `b\ud83d`), step("text_delta", 0, ``), step("text_delta", 0, `\ude80`)},
			map[string]string{"text0": "a" + bad + "b" + bad + bad},
		},
		"no first half": {
			[]string{step("text_delta", 0, `\ude80a`), step("text_delta", 0, `\ude80`)},
			map[string]string{"text0": bad + "a" + bad},
		},
		"the block ends": {
			[]string{
				step("text_delta", 0, `a\ud83d`), `{"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":0}}`,
				step("text_delta", 0, `\ude80`),
			},
			map[string]string{"text0": "a" + bad + bad, "text_end0": ""},
		},
		"a block of another kind": {
			[]string{step("thinking_delta", 0, `a\ud83d`), step("text_delta", 0, `\ude80`)},
			map[string]string{"thinking0": "a" + bad, "text0": bad},
		},
		"another message": {
			[]string{step("text_delta", 0, `a\ud83d`), begin, step("text_delta", 0, `\ude80`)},
			map[string]string{"text0": "a" + bad},
		},
		"not an escape": {
			[]string{step("text_delta", 0, `\\ud83d`), step("text_delta", 0, `\\ude80`), step("text_delta", 0, `\ufffd`), step("text_delta", 0, `x`)},
			map[string]string{"text0": `\ud83d\ude80` + bad + "x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := streamed(t, append([]string{begin}, tt.lines...)...)
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// However many halves wait, only so many are kept.
func TestManyHalves(t *testing.T) {
	var lines []string
	for i := range 5000 {
		lines = append(lines, step("text_delta", i, `\ud83d`))
	}
	for i := range 5000 {
		lines = append(lines, step("text_delta", i, `\ude80`))
	}
	texts := streamed(t, lines...)
	if texts["text0"] != "🚀" || texts["text4999"] != "\uFFFD\uFFFD" || len(texts) != 5000 {
		t.Errorf("%d texts, the first %q, the last %q", len(texts), texts["text0"], texts["text4999"])
	}
}
