package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"

	"quire/schema/source"
)

// readDefault takes a default. As in Strapi, one that breaks a rule of the attribute is there,
// and what gets it is refused; one of another kind is none.
func (l *loader) readDefault(a *Attribute, o source.Object) {
	v, ok := o.Get("default")
	if !ok || a.Kind == 0 || v.Raw[0] == 'n' {
		return
	}
	const fix = "correct the default or remove it"
	if fault := a.faultOf(v.Raw); fault != "" {
		l.note(v, "has no effect, because it is not a value of this attribute: "+fault, fix)
		return
	}
	if fault := a.brokenBy(v.Raw); fault != "" {
		l.note(v, "breaks a rule of this attribute: "+fault, fix)
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
	switch {
	case raw[0] != '"' || json.Unmarshal(raw, &s) != nil:
		return "it must be a text"
	case a.Kind == Enumeration && !slices.Contains(a.Enum, s):
		return "it is not in enum"
	}
	return ""
}

func (a *Attribute) numberFault(raw json.RawMessage) string {
	var n float64
	var whole int64
	switch {
	case json.Unmarshal(raw, &n) != nil:
		return "it must be a number"
	case a.Kind == Integer && json.Unmarshal(raw, &whole) != nil:
		return "it must be a whole number"
	}
	return ""
}

func (a *Attribute) bigFault(raw json.RawMessage) string {
	_, ok := source.ParseInt64(raw)
	return faultUnless(ok, "it must be a whole number of at most 64 bits")
}

// TextLength returns the length of a text as minLength and maxLength count it, which is that in
// JavaScript: in UTF-16 code units.
func TextLength(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// brokenBy returns the rule that a value breaks, or "".
func (a *Attribute) brokenBy(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // other values have no length
	var number float64
	_ = json.Unmarshal(raw, &number) // nor do texts have a size
	big, _ := source.ParseInt64(raw)
	length := TextLength(s)
	switch {
	case a.MinLength != nil && length < *a.MinLength:
		return fmt.Sprintf("it is shorter than %d", *a.MinLength)
	case a.MaxLength != nil && length > *a.MaxLength:
		return fmt.Sprintf("it is longer than %d", *a.MaxLength)
	case a.Pattern != nil && !a.Pattern.MatchString(s):
		return "it does not match " + a.PatternText
	case a.Min != nil && number < *a.Min:
		return fmt.Sprintf("it is less than %v", *a.Min)
	case a.Max != nil && number > *a.Max:
		return fmt.Sprintf("it is more than %v", *a.Max)
	case a.MinInt != nil && big < *a.MinInt:
		return fmt.Sprintf("it is less than %d", *a.MinInt)
	case a.MaxInt != nil && big > *a.MaxInt:
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
