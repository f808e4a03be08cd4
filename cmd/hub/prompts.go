package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

const maxPrompt = 1 << 20 // bytes of a line

// readPrompts sends first, if it is not empty, and then each line of r that is
// not blank, and closes the channel at the end. It is left behind when nobody
// takes prompts any more: a read of a pipe or terminal cannot be called back.
func readPrompts(first string, r io.Reader, say func(string, ...any)) <-chan string {
	prompts := make(chan string)
	go func() {
		defer close(prompts)
		if first != "" {
			prompts <- first
		}
		in := bufio.NewReader(r)
		for n := 1; ; n++ {
			line, err := readLine(in)
			line = bytes.TrimSpace(line)
			switch {
			case errors.Is(err, errLongLine):
				say("line %d of standard input is longer than 1 MiB: left out", n)
				continue
			case !utf8.Valid(line):
				say("line %d of standard input is not UTF-8: left out", n)
			case len(line) > 0:
				prompts <- string(line)
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					say("standard input: %v", err)
				}
				return
			}
		}
	}()
	return prompts
}

var errLongLine = errors.New("the line is too long")

// readLine reads up to the end of a line; a line that is too long is read over.
// Its text may come together with io.EOF.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxPrompt; !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLongLine
		case long:
			return nil, err
		default:
			return line, err
		}
	}
}
