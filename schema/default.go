package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"

	"quire/schema/source"
)

// readDefault takes a default that a create could send as a value, and reports any other.
func readDefault(a *Attribute, o source.Object) {
	v, ok := o.Get("default")
	if !ok || a.Kind == 0 {
		return
	}
	if fault := a.faultOf(v.Raw); fault != "" {
		v.Refuse("is not a value of this attribute: "+fault, "correct the default or remove it")
		return
	}
	a.Default = slices.Clone(v.Raw)
}

// faultOf returns why the attribute cannot have a JSON value, or "".
func (a *Attribute) faultOf(raw json.RawMessage) string {
	switch a.Kind {
	case String, Text, RichText, Email, Password, UID, Enumeration:
		return a.textFault(raw)
	case Integer, Float, Decimal:
		return a.numberFault(raw)
	case BigInteger:
		return a.bigFault(raw)
	case Boolean:
		return faultUnless(raw[0] == 't' || raw[0] == 'f', "it must be true or false")
	case Date:
		return momentFault(raw, "a date, 2006-01-02", ParseDate)
	case Time:
		return momentFault(raw, "a time, 15:04:05", ParseTime)
	case DateTime, Timestamp:
		return momentFault(raw, "a moment, 2006-01-02T15:04:05.000Z", ParseDateTime)
	case Blocks:
		return faultUnless(raw[0] == '[', "it must be a list of blocks")
	case JSON:
		return ""
	}
	return fmt.Sprintf("a %s has no default", a.Kind)
}

func faultUnless(fine bool, fault string) string {
	if fine {
		return ""
	}
	return fault
}

func (a *Attribute) textFault(raw json.RawMessage) string {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "it must be a text"
	}
	length := len(utf16.Encode([]rune(s)))
	switch {
	case a.MinLength != nil && length < *a.MinLength:
		return fmt.Sprintf("it is shorter than %d", *a.MinLength)
	case a.MaxLength != nil && length > *a.MaxLength:
		return fmt.Sprintf("it is longer than %d", *a.MaxLength)
	case a.Pattern != nil && !a.Pattern.MatchString(s):
		return "it does not match " + a.PatternText
	case a.Kind == Enumeration && !slices.Contains(a.Enum, s):
		return "it is not in enum"
	}
	return ""
}

func (a *Attribute) numberFault(raw json.RawMessage) string {
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		return "it must be a number"
	}
	var whole int64
	switch {
	case a.Kind == Integer && json.Unmarshal(raw, &whole) != nil:
		return "it must be a whole number"
	case a.Min != nil && n < *a.Min:
		return fmt.Sprintf("it is less than %v", *a.Min)
	case a.Max != nil && n > *a.Max:
		return fmt.Sprintf("it is more than %v", *a.Max)
	}
	return ""
}

func (a *Attribute) bigFault(raw json.RawMessage) string {
	n, ok := source.ParseInt64(raw)
	switch {
	case !ok:
		return "it must be a whole number of at most 64 bits"
	case a.MinInt != nil && n < *a.MinInt:
		return fmt.Sprintf("it is less than %d", *a.MinInt)
	case a.MaxInt != nil && n > *a.MaxInt:
		return fmt.Sprintf("it is more than %d", *a.MaxInt)
	}
	return ""
}

func momentFault[T any](raw json.RawMessage, what string, parse func(string) (T, error)) string {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "it must be " + what
	}
	if _, err := parse(s); err != nil {
		return "it must be " + what
	}
	return ""
}
