package view

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// CheckJSON refuses what Go's decoder takes and a browser's does not: null,
// which it takes for an absent member, and numbers that JavaScript does not hold
// exactly. Whatever goes on to a browser as it came has to pass. The error is a
// *json.SemanticError that names the place, or a syntax error.
func CheckJSON(data []byte) error {
	if !suspect(data) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch tok.Kind() {
		case 'n':
			return refused(dec, 'n', "must not be null")
		case '0':
			if n, err := strconv.ParseInt(tok.String(), 10, 64); err != nil || n > maxSafe || n < -maxSafe {
				return refused(dec, '0', "not an integer of at most 2^53-1")
			}
		}
	}
}

func refused(dec *jsontext.Decoder, kind jsontext.Kind, problem string) error {
	at := dec.StackPointer()
	return &json.SemanticError{JSONKind: kind, JSONPointer: at, Err: fmt.Errorf("%s: %s", at, problem)}
}

// suspect finds what most JSON has not, without reading it: the word null, or
// digits enough for a number that is too large.
func suspect(data []byte) bool {
	const digits = 16
	if bytes.Contains(data, []byte("null")) {
		return true
	}
	run := 0
	for _, b := range data {
		if b < '0' || b > '9' {
			run = 0
		} else if run++; run == digits {
			return true
		}
	}
	return false
}
