package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadPrompts(t *testing.T) {
	var told []string
	say := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	in := "one\n\n\xff\n" + strings.Repeat("x", maxPrompt+1) + "\n  two \r\nlast"
	var got []string
	for p := range readPrompts("first", strings.NewReader(in), say) {
		got = append(got, p)
	}
	if strings.Join(got, "|") != "first|one|two|last" {
		t.Errorf("prompts %.100q", got)
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], "line 3 ") || !strings.HasPrefix(told[1], "line 4 ") {
		t.Errorf("told %q", told)
	}
}
