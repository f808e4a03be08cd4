package agent

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// shape is the part of a schema that conversions go by: types, and where the
// types of parts are declared. References are not followed.
type shape struct {
	types    []string
	props    map[string]*shape
	required []string
	rest     *shape // additionalProperties
	items    *shape
	tuple    []*shape
	allOf    []*shape
	unions   [][]branch // anyOf and oneOf

	// notNull says that the schema refuses null, and is no reference.
	notNull bool
}

type branch struct {
	shape  *shape
	accept func(any) bool
}

// dropNulls removes optional properties that are null and may not be: models
// write null for "not given". It says whether it did.
func (s *shape) dropNulls(v value) bool {
	if s == nil {
		return false
	}
	changed := false
	switch v := v.(type) {
	case []value:
		for i, item := range v {
			if s.at(i).dropNulls(item) {
				changed = true
			}
		}
	case *object:
		v.members = slices.DeleteFunc(v.members, func(m member) bool {
			p := s.props[m.name]
			if m.value == nil && p != nil && p.notNull && !slices.Contains(s.required, m.name) {
				changed = true
				return true
			}
			if p.dropNulls(m.value) {
				changed = true
			}
			return false
		})
	}
	return changed
}

// at is the shape of an array's item.
func (s *shape) at(i int) *shape {
	if s.tuple == nil {
		return s.items
	}
	if i < len(s.tuple) {
		return s.tuple[i]
	}
	return nil
}

// convert returns v converted by the declared types, and whether it changed.
// Arrays and objects are converted in place.
func (s *shape) convert(v value) (value, bool) {
	if s == nil {
		return v, false
	}
	changed := false
	use := func(next value, did bool) {
		if did {
			v, changed = next, true
		}
	}
	for _, each := range s.allOf {
		use(each.convert(v))
	}
	for _, union := range s.unions {
		use(convertUnion(v, union))
	}
	use(s.convertPrimitive(v))
	switch inner := v.(type) {
	case *object:
		if slices.Contains(s.types, "object") && s.convertMembers(inner) {
			changed = true
		}
	case []value:
		if slices.Contains(s.types, "array") && s.convertItems(inner) {
			changed = true
		}
	}
	return v, changed
}

func (s *shape) convertMembers(o *object) (changed bool) {
	for i, m := range o.members {
		p, declared := s.props[m.name]
		if !declared {
			p = s.rest
		}
		if next, did := p.convert(m.value); did {
			o.members[i].value, changed = next, true
		}
	}
	return changed
}

func (s *shape) convertItems(list []value) (changed bool) {
	for i, item := range list {
		if next, did := s.at(i).convert(item); did {
			list[i], changed = next, true
		}
	}
	return changed
}

// convertUnion leaves a value alone that a branch accepts; otherwise the first
// branch that accepts the value converted for it wins.
func convertUnion(v value, union []branch) (value, bool) {
	as := plain(v)
	for _, b := range union {
		if b.accept(as) {
			return v, false
		}
	}
	for _, b := range union {
		if next, did := b.shape.convert(clone(v)); did && b.accept(plain(next)) {
			return next, true
		}
	}
	return v, false
}

func clone(v value) value {
	switch v := v.(type) {
	case []value:
		list := slices.Clone(v)
		for i := range list {
			list[i] = clone(list[i])
		}
		return list
	case *object:
		o := &object{slices.Clone(v.members)}
		for i := range o.members {
			o.members[i].value = clone(o.members[i].value)
		}
		return o
	}
	return v
}

// convertPrimitive converts by the first declared type that makes a difference.
// A value that fits one of several types is left alone.
func (s *shape) convertPrimitive(v value) (value, bool) {
	if len(s.types) > 1 && slices.ContainsFunc(s.types, func(t string) bool { return isType(v, t) }) {
		return v, false
	}
	for _, t := range s.types {
		if next, did := primitive(v, t); did {
			return next, true
		}
	}
	return v, false
}

func isType(v value, t string) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case number:
		return t == "number" || t == "integer" && isWhole(float(v))
	case []value:
		return t == "array"
	case *object:
		return t == "object"
	}
	return false
}

// primitive converts v to type t if there is a conversion.
func primitive(v value, t string) (value, bool) {
	switch t {
	case "number", "integer":
		return toNumber(v, t == "integer")
	case "boolean":
		return toBoolean(v)
	case "string":
		return toString(v)
	case "null":
		n, isNumber := v.(number)
		return nil, v == "" || v == false || isNumber && float(n) == 0
	}
	return v, false
}

func toNumber(v value, whole bool) (value, bool) {
	switch v := v.(type) {
	case nil:
		return number("0"), true
	case bool:
		if v {
			return number("1"), true
		}
		return number("0"), true
	case string:
		n, ok := readNumber(strings.TrimSpace(v))
		return n, ok && (!whole || isWhole(float(n)))
	}
	return v, false
}

func toBoolean(v value) (value, bool) {
	switch v := v.(type) {
	case nil:
		return false, true
	case string:
		return v == "true", v == "true" || v == "false"
	case number:
		return float(v) == 1, float(v) == 1 || float(v) == 0
	}
	return v, false
}

func toString(v value) (value, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case bool:
		return strconv.FormatBool(v), true
	case number:
		return string(canonical(string(v))), true
	}
	return v, false
}

// readNumber reads text as JavaScript's Number does, finite numbers only.
func readNumber(text string) (number, bool) {
	if len(text) > maxArgumentNumber {
		return "", false
	}
	if len(text) > 2 && text[0] == '0' && strings.ContainsRune("xXoObB", rune(text[1])) {
		n, err := strconv.ParseUint(text, 0, 64)
		return number(strconv.FormatUint(n, 10)), err == nil && !strings.Contains(text, "_")
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return "", false
	}
	if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
		return "", false
	}
	return canonical(text), true
}

// canonical spells a number the way JSON.stringify does. Whole numbers keep all
// their digits: ids are often longer than a float64 can hold.
func canonical(text string) number {
	if digits := strings.TrimPrefix(text, "-"); digits != "" && digits[0] >= '1' && strings.Trim(digits, "0123456789") == "" && len(digits) <= 21 {
		return number(text)
	}
	f := float(number(text))
	if f == 0 {
		return "0"
	}
	out, err := json.Marshal(f)
	if err != nil { // only what is not finite
		return number(text)
	}
	return number(out)
}

func float(n number) float64 {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

func isWhole(f float64) bool { return f == math.Trunc(f) && !math.IsInf(f, 0) }
