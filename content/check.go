package content

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"quire/schema"
	"quire/store"
)

// The checks of this file hold for stored values as for new ones: an entry is
// checked as a whole when it is published.

func checkNothing(*schema.Attribute, store.Value, path, bool, *issues) {}

func checkText(a *schema.Attribute, v store.Value, at path, strict bool, found *issues) {
	if a.MaxLength == nil && a.MinLength == nil && a.Pattern == nil {
		return
	}
	length := utf16Length(v.Text)
	if a.MaxLength != nil && length > *a.MaxLength {
		found.add(at, asJSON(a, v), "%s must be at most %d characters", at, *a.MaxLength)
	}
	if !strict {
		return
	}
	if a.MinLength != nil && length < *a.MinLength {
		found.add(at, asJSON(a, v), "%s must be at least %d characters", at, *a.MinLength)
	}
	switch {
	case a.Pattern == nil, v.Text == "" && !a.Required:
	case len(v.Text) > a.PatternReach: // matching it would keep other writes waiting
		found.add(at, asJSON(a, v), `%s is too long to be matched with "/%s/": %d bytes at most`, at, a.PatternText, a.PatternReach)
	case !a.Pattern.MatchString(v.Text):
		found.add(at, asJSON(a, v), `%s must match the following: "/%s/"`, at, a.PatternText)
	}
}

// utf16Length is the length that JavaScript gives the text.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

var emailForm = regexp.MustCompile(`^[\pL\pN!#$%&'*+/=?^_{|}~` + "`" + `-]+(\.[\pL\pN!#$%&'*+/=?^_{|}~` + "`" + `-]+)*@` +
	`([\pL\pN]([\pL\pN-]*[\pL\pN])?\.)+[\pL\pN]([\pL\pN-]*[\pL\pN])?$`)

// IsEmail reports whether a text has the form of a mail address.
func IsEmail(s string) bool { return emailForm.MatchString(s) }

func checkEmail(a *schema.Attribute, v store.Value, at path, strict bool, found *issues) {
	checkText(a, v, at, strict, found)
	switch {
	case !strict:
	case v.Text == "":
		found.add(at, asJSON(a, v), "%s cannot be empty", at)
	case !IsEmail(v.Text):
		found.add(at, asJSON(a, v), "%s must be a valid email", at)
	}
}

var uidForm = regexp.MustCompile(`^[A-Za-z0-9-_.~]*$`)

func checkUID(a *schema.Attribute, v store.Value, at path, strict bool, found *issues) {
	checkText(a, v, at, strict, found)
	switch {
	case !strict:
	case v.Text == "" && a.Required:
		found.add(at, asJSON(a, v), "%s is a required field", at)
	case !uidForm.MatchString(v.Text):
		found.add(at, asJSON(a, v), `%s must match the following: "/%s/"`, at, uidForm)
	}
}

func checkEnumeration(a *schema.Attribute, v store.Value, at path, _ bool, found *issues) {
	if !slices.Contains(a.Enum, v.Text) {
		found.add(at, asJSON(a, v), "%s must be one of the following values: %s, ", at, strings.Join(a.Enum, ", "))
	}
}

func checkNumber(a *schema.Attribute, v store.Value, at path, strict bool, found *issues) {
	n := v.Real
	if v.Kind == store.Int {
		n = float64(v.Num)
	}
	if a.Max != nil && n > *a.Max {
		found.add(at, asJSON(a, v), "%s must be less than or equal to %v", at, *a.Max)
	}
	if strict && a.Min != nil && n < *a.Min {
		found.add(at, asJSON(a, v), "%s must be greater than or equal to %v", at, *a.Min)
	}
}

func checkBigInteger(a *schema.Attribute, v store.Value, at path, strict bool, found *issues) {
	if a.MaxInt != nil && v.Num > *a.MaxInt {
		found.add(at, asJSON(a, v), "%s must be less than or equal to %d", at, *a.MaxInt)
	}
	if strict && a.MinInt != nil && v.Num < *a.MinInt {
		found.add(at, asJSON(a, v), "%s must be greater than or equal to %d", at, *a.MinInt)
	}
}

// asJSON is a plain value as an issue repeats it; nil for what is private and for
// passwords. It may be a stored one, which whoever publishes it need not have
// written.
func asJSON(a *schema.Attribute, v store.Value) rawValue {
	switch {
	case a.Hidden():
		return nil
	case v.Kind == store.Text:
		return quote(v.Text)
	case v.Kind == store.Int:
		return strconv.AppendInt(nil, v.Num, 10)
	case v.Kind == store.Float:
		return strconv.AppendFloat(nil, v.Real, 'f', -1, 64)
	case v.Kind == store.Bool:
		return strconv.AppendBool(nil, v.Num != 0)
	case v.Kind == store.JSON:
		return rawValue(v.Text)
	}
	return rawValue("null")
}
