package term

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ name, in, one, text string }{
		{"plain", "go test ./...", "go test ./...", "go test ./..."},
		{"lines and tabs", "a\n\tb", "a  b", "a\n        b"},
		{"tab stops", "abc\td", "abc d", "abc     d"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red", "red"},
		{"colour with colons", "\x1b[38:2::1:2:3mx", "x", "x"},
		{"title", "\x1b]0;owned\x07x", "x", "x"},
		{"title ended by ST", "\x1b]2;owned\x1b\\x", "x", "x"},
		{"link", "\x1b]8;;http://a/\x1b\\text\x1b]8;;\x1b\\", "text", "text"},
		{"title that is never closed ends with its line", "\x1b]0;a\nb", " b", "\nb"},
		{"clipboard", "\x1b]52;c;cm0gLXJm\x07ok", "ok", "ok"},
		{"device control", "\x1bP$q\"p\x1b\\ok", "ok", "ok"},
		{"application program", "\x1b_Gf=100;AAAA\x1b\\ok", "ok", "ok"},
		{"reset", "\x1bcx", "x", "x"},
		{"character set", "\x1b(0x", "x", "x"},
		{"cursor report", "\x1b[6n\x1b[c\x1b[>0q", "", ""},
		{"eight bits, as characters", "\u009b31mx\u009d0;t\u009cy\u0090q\x07z", "xyz", "xyz"},
		{"a broken sequence hides nothing", "\x1b[12é", "é", "é"},
		{"a sequence in a sequence", "\x1b[3\x1b[31mx", "x", "x"},
		{"escape at the end", "x\x1b", "x", "x"},
		{"controls", "a\x00\x07\x08\x7fb\u0080", "ab", "ab"},
		{"line breaks of all kinds", "a\r\nb\u2028c\u2029d\u0085e\vf", "a  b c d e f", "a\nb\nc\nd\ne\nf"},
		{"progress", "10%\r100%\r\ndone\r", "10% 100%  done ", "100%\ndone"},
		{"directions", "a\u202eb\u2066c\u200fd\u061c", "abcd", "abcd"},
		{"nothing wide", "a\u200bb\u2060c\ufeffd\u00ade\u180e", "abcde", "abcde"},
		{"tags", "a\U000e0041\U000e007f", "a", "a"},
		{"selectors and joiners", "\u2764\ufe0f \U0001F468\u200d\U0001F469", "\u2764 \U0001F468\U0001F469", "\u2764 \U0001F468\U0001F469"},
		{"skin", "\U0001F44D\U0001F3FD", "\U0001F44D", "\U0001F44D"},
		{"flag", "\U0001F1E9\U0001F1EA", "DE", "DE"},
		{"fillers", "a\u3164\u115f\u034fb", "ab", "ab"},
		{"spaces", "a\u00a0b\u3000c\u2009d", "a b c d", "a b c d"},
		{"marks", "e\u0301", "e\u0301", "e\u0301"},
		{"too many marks", "e" + strings.Repeat("\u0301", 90), "e\u0301\u0301\u0301", "e\u0301\u0301\u0301"},
		{"a mark on nothing", "\u0301a\n\u0301b", "a \u0301b", "a\nb"},
		{"not UTF-8", "a\xffb\x9b", "a\ufffdb\ufffd", "a\ufffdb\ufffd"},
		{"private and unassigned", "\ue0b0\U000f0000\u0378", "\ufffd\ufffd\ufffd", "\ufffd\ufffd\ufffd"},
		{"wide", "日本語", "日本語", "日本語"},
	} {
		if got := Safe(c.in); got != c.one {
			t.Errorf("%s: Safe(%q) = %q, want %q", c.name, c.in, got, c.one)
		}
		if got := SafeText(c.in); got != c.text {
			t.Errorf("%s: SafeText(%q) = %q, want %q", c.name, c.in, got, c.text)
		}
	}
}

// A control string that is never closed cannot hide all that follows.
func TestUnclosedStringIsBounded(t *testing.T) {
	if got := Safe("\x1b]0;" + strings.Repeat("x", 1<<20)); len(got) < 1<<20-2*maxSequence {
		t.Errorf("%d of %d bytes are left", len(got), 1<<20)
	}
}

// hostile are seeds for every fuzz test of this package.
func hostile(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b[31mred", "\x1b]0;t\x07", "\u009b2J", "\x1bP1;1|x\x1b\\", "a\u202eb", "e\u0301\u0301\u0301\u0301",
		"\u2028", "日本語\U0001F468\u200d\U0001F469\u200d\U0001F467", "\xff\x9b31m", "a\rb", "\x1b", "\x1b[", "\x1b]8;;x", "\u1100\u1161\u11a8", "नि",
	} {
		f.Add(s)
	}
}

// harmless fails where text could do anything but be seen.
func harmless(t *testing.T, what, text string, also ...rune) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("%s is not UTF-8: %q", what, text)
	}
next:
	for _, r := range text {
		for _, a := range also {
			if r == a {
				continue next
			}
		}
		if unseen(r) || r != ' ' && !unicode.IsPrint(r) {
			t.Fatalf("%s has %U: %q", what, r, text)
		}
	}
}

func FuzzSafe(f *testing.F) {
	hostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		one, text := Safe(s), SafeText(s)
		harmless(t, "Safe", one)
		harmless(t, "SafeText", text, '\n')
		if again := Safe(one); again != one {
			t.Fatalf("Safe is not stable: %q, then %q", one, again)
		}
		if again := SafeText(text); again != text {
			t.Fatalf("SafeText is not stable: %q, then %q", text, again)
		}
		if ansi.Strip(one) != one {
			t.Fatalf("a terminal's parser finds a sequence in %q", one)
		}
	})
}

func FuzzSafeJSON(f *testing.F) {
	f.Add([]byte(`{"a":"\u001b[31m","b":[1, 2]}`))
	f.Add([]byte("{\"a\":\"\u202e\u009b\u2028\U000e0041\x7f\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := SafeJSON(nil, data)
		harmless(t, "SafeJSON", string(got))
		if !jsontext.Value(data).IsValid() {
			return
		}
		var want, have any
		if json.Unmarshal(data, &want) != nil {
			return
		}
		if err := json.Unmarshal(got, &have); err != nil {
			t.Fatalf("%q became %q: %v", data, got, err)
		}
		if !reflect.DeepEqual(want, have) {
			t.Fatalf("%q became %q", data, got)
		}
	})
}
