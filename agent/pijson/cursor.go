package pijson

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxInteger bounds integers: what a JavaScript number holds exactly.
const maxInteger = 1<<53 - 1

// cursor walks over one JSON text. Its methods each read one value. The plain
// ones fail with a *fieldError if the value has another type, the lax ones
// then read nothing from it; null reads nothing from either.
type cursor struct {
	dec *jsontext.Decoder
	buf bytes.Buffer
	src []byte
	// base is where src lies in the line, for pointers.
	base jsontext.Pointer
}

// reset makes the cursor read src from its start.
func (c *cursor) reset(src []byte, base jsontext.Pointer) {
	c.src, c.base = src, base
	c.buf = *bytes.NewBuffer(src)
	if c.dec == nil {
		c.dec = new(jsontext.Decoder)
	}
	// Duplicate names are allowed since Pi's own reader, JSON.parse, allows
	// them; the text has been repaired, so that UTF-8 is checked for nothing.
	c.dec.Reset(&c.buf, jsontext.AllowDuplicateNames(true))
}

// object calls field for each member; field must read the value.
func (c *cursor) object(field func(name string) error) error {
	if ok, err := c.open('{', "an object"); !ok {
		return err
	}
	for c.dec.PeekKind() != '}' {
		name, err := c.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := field(name.String()); err != nil {
			return err
		}
	}
	_, err := c.dec.ReadToken()
	return err
}

// array calls element for each element; element must read it.
func (c *cursor) array(element func() error) error {
	if ok, err := c.open('[', "a list"); !ok {
		return err
	}
	for c.dec.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := c.dec.ReadToken()
	return err
}

// open enters an object or a list; not ok without an error means null.
func (c *cursor) open(kind jsontext.Kind, want string) (ok bool, err error) {
	switch c.dec.PeekKind() {
	case kind:
		_, err = c.dec.ReadToken()
		return err == nil, err
	case 'n':
		return false, c.skip()
	}
	return false, c.mismatch(want)
}

// kind peeks at the next value.
func (c *cursor) kind() jsontext.Kind { return c.dec.PeekKind() }

// skip reads any value.
func (c *cursor) skip() error { return c.dec.SkipValue() }

// mismatch reads the next value and says that it should have been another.
func (c *cursor) mismatch(want string) error {
	found := kindName(c.kind())
	if err := c.skip(); err != nil {
		return err
	}
	return c.wrong("expected " + want + ", found " + found)
}

// wrong makes an error for the value that was read last.
func (c *cursor) wrong(reason string) error {
	return &fieldError{pointer: c.base + c.dec.StackPointer(), reason: reason}
}

func (c *cursor) str(dst *string) error {
	switch c.kind() {
	case '"':
		return c.readString(dst)
	case 'n':
		return c.skip()
	}
	return c.mismatch("a string")
}

func (c *cursor) readString(dst *string) error {
	tok, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	*dst = tok.String()
	return nil
}

func (c *cursor) laxStr(dst *string) error {
	if c.kind() == '"' {
		return c.readString(dst)
	}
	return c.skip()
}

// text reads a string, or the JSON text of what is there in its place: for
// words that people read, where anything is better than nothing.
func (c *cursor) text(dst *string) error {
	switch c.kind() {
	case '"':
		return c.readString(dst)
	case 'n':
		return c.skip()
	}
	v, err := c.value()
	*dst = string(v)
	return err
}

func (c *cursor) boolean(dst *bool) error {
	switch c.kind() {
	case 't', 'f':
		tok, err := c.dec.ReadToken()
		if err == nil {
			*dst = tok.Bool()
		}
		return err
	case 'n':
		return c.skip()
	}
	return c.mismatch("true or false")
}

func (c *cursor) laxBool(dst *bool) error {
	if k := c.kind(); k == 't' || k == 'f' {
		return c.boolean(dst)
	}
	return c.skip()
}

// index reads a place in a list.
func (c *cursor) index(dst *int) error {
	if c.kind() != '0' {
		return c.mismatch("a number")
	}
	tok, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	n, err := tok.Int()
	if err != nil || n < 0 || n > math.MaxInt32 {
		return c.wrong("expected an index, found " + cut(tok.String(), maxTypeName))
	}
	*dst = int(n)
	return nil
}

// laxFloat reads a finite number that is not negative.
func (c *cursor) laxFloat(dst *float64) error {
	if c.kind() != '0' {
		return c.skip()
	}
	tok, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	if f, err := tok.Float(); err == nil && f >= 0 {
		*dst = f
	}
	return nil
}

// laxInt reads a count or a time; a fraction is dropped.
func (c *cursor) laxInt(dst *int64) error {
	f := -1.0
	if err := c.laxFloat(&f); err != nil {
		return err
	}
	if 0 <= f && f <= maxInteger {
		*dst = int64(f)
	}
	return nil
}

// laxIntPtr is laxInt where absent differs from 0.
func (c *cursor) laxIntPtr(dst **int64) error {
	n := int64(-1)
	if err := c.laxInt(&n); err != nil {
		return err
	}
	if n >= 0 {
		*dst = &n
	}
	return nil
}

// laxTime reads Unix milliseconds, given as a number or as an ISO 8601 text; one
// that cannot be right is left out.
func (c *cursor) laxTime(dst *int64) error {
	var ms int64
	if c.kind() != '"' {
		if err := c.laxInt(&ms); err != nil {
			return err
		}
	} else {
		var s string
		if err := c.readString(&s); err != nil {
			return err
		}
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			ms = t.UnixMilli()
		}
	}
	if plausible(ms) {
		*dst = ms
	}
	return nil
}

// value returns the raw text of any value. It is part of src, not a copy.
func (c *cursor) value() ([]byte, error) {
	v, err := c.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(c.dec.InputOffset())
	return c.src[end-len(v) : end : end], nil
}

// raw keeps the text of any value.
func (c *cursor) raw(dst *json.RawMessage) error {
	v, err := c.value()
	*dst = bytes.Clone(v)
	return err
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something else"
}
