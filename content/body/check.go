package body

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// The checks of this file apply to stored values and to new ones: an entry is checked as a
// whole when it is published.

// CheckPublished reports what prevents a plain value from being published: that it is
// missing, has another kind than its attribute by now, or exceeds a limit. Passwords are
// hashes by now, and their limits were checked before.
func CheckPublished(a *schema.Attribute, v store.Value, at Path, found *Issues) {
	rule := scalars[a.Kind]
	switch {
	case v.IsEmpty() && a.Required:
		found.Add(at, JSON("null"), "%s must be a `%s` type, but the final value was: `null`.", at, rule.shape)
	case v.IsEmpty(), a.Kind == schema.Password:
	case v.Kind != rule.kind:
		found.WrongShape(rule.shape, AsJSON(a, v), at)
	default:
		rule.check(a, v, at, true, found)
	}
}

// CheckLimits reports where a plain value, which must not be null, breaks the limits of its
// attribute: upper limits and choices, which apply to drafts too, and with strict all of
// them.
func CheckLimits(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues) {
	scalars[a.Kind].check(a, v, at, strict, found)
}

// CheckReadable reports a plain value of another data file that no body could have, see Readable: it
// would break the JSON of the entries that hold it.
func CheckReadable(site *schema.Site, v store.Value, at Path, found *Issues) {
	ok := utf8.ValidString(v.Text) && !math.IsNaN(v.Real) && !math.IsInf(v.Real, 0)
	if ok && v.Kind == store.JSON {
		_, err := Readable(site, slices.Concat(JSON(`{"":`), JSON(v.Text), JSON(`}`)))
		ok = err == nil && JSON(v.Text).valid()
	}
	if !ok {
		found.Add(at, nil, "%s has no value that JSON could have, or is nested too deep", at)
	}
}

// CheckRewrite reports what prevents a stored plain value from being stored again
// unchanged, as a value of the attribute.
func CheckRewrite(a *schema.Attribute, v store.Value) error {
	var found Issues
	rule, raw, at := scalars[a.Kind], AsJSON(a, v), At(a.Name)
	again := rule.decode(Value{json: raw}, at, &found)
	if a.Kind == schema.Enumeration {
		rule.check(a, v, at, false, &found)
	}
	if err := found.Err(); err != nil {
		return err
	}
	if !again.Equal(v) {
		return fmt.Errorf("%s would not be kept as it is", raw.show())
	}
	return nil
}

// Fits reports whether values of that kind can be values of the attribute.
func Fits(a *schema.Attribute, k store.ValueKind) bool {
	switch a.Kind {
	case schema.Component, schema.DynamicZone:
		return k == store.Instances
	case schema.RelationKind, schema.Media:
		return k == store.Edges
	}
	return k == scalars[a.Kind].kind
}

func checkNothing(*schema.Attribute, store.Value, Path, bool, *Issues) {}

func checkText(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues) {
	if a.MaxLength == nil && a.MinLength == nil && a.Pattern == nil {
		return
	}
	length := schema.TextLength(v.Text)
	if a.MaxLength != nil && length > *a.MaxLength {
		found.Add(at, AsJSON(a, v), "%s must be at most %d characters", at, *a.MaxLength)
	}
	if !strict {
		return
	}
	if a.MinLength != nil && length < *a.MinLength {
		found.Add(at, AsJSON(a, v), "%s must be at least %d characters", at, *a.MinLength)
	}
	switch {
	case a.Pattern == nil, v.Text == "" && !a.Required:
	case len(v.Text) > a.PatternMaxBytes: // matching it would delay other writes
		found.Add(at, AsJSON(a, v), `%s is too long to be matched with "/%s/": %d bytes at most`, at, a.PatternText, a.PatternMaxBytes)
	case !a.Pattern.MatchString(v.Text):
		found.Add(at, AsJSON(a, v), `%s must match the following: "/%s/"`, at, a.PatternText)
	}
}

var emailForm = regexp.MustCompile(`^[\pL\pN!#$%&'*+/=?^_{|}~` + "`" + `-]+(\.[\pL\pN!#$%&'*+/=?^_{|}~` + "`" + `-]+)*@` +
	`([\pL\pN]([\pL\pN-]*[\pL\pN])?\.)+[\pL\pN]([\pL\pN-]*[\pL\pN])?$`)

// IsEmail reports whether a text has the form of a mail address.
func IsEmail(s string) bool { return emailForm.MatchString(s) }

func checkEmail(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues) {
	checkText(a, v, at, strict, found)
	switch {
	case !strict:
	case v.Text == "":
		found.Add(at, AsJSON(a, v), "%s cannot be empty", at)
	case !IsEmail(v.Text):
		found.Add(at, AsJSON(a, v), "%s must be a valid email", at)
	}
}

var uidForm = regexp.MustCompile(`^[A-Za-z0-9-_.~]*$`)

func checkUID(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues) {
	checkText(a, v, at, strict, found)
	switch {
	case !strict:
	case v.Text == "" && a.Required:
		found.Add(at, AsJSON(a, v), "%s is a required field", at)
	case !uidForm.MatchString(v.Text):
		found.Add(at, AsJSON(a, v), `%s must match the following: "/%s/"`, at, uidForm)
	}
}

func checkEnumeration(a *schema.Attribute, v store.Value, at Path, _ bool, found *Issues) {
	if !slices.Contains(a.Enum, v.Text) {
		found.Add(at, AsJSON(a, v), "%s must be one of the following values: %s, ", at, strings.Join(a.Enum, ", "))
	}
}

func checkNumber(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues) {
	n := v.Real
	if v.Kind == store.Int {
		n = float64(v.Num)
	}
	if a.Max != nil && n > *a.Max {
		found.Add(at, AsJSON(a, v), "%s must be less than or equal to %v", at, *a.Max)
	}
	if strict && a.Min != nil && n < *a.Min {
		found.Add(at, AsJSON(a, v), "%s must be greater than or equal to %v", at, *a.Min)
	}
}

func checkBigInteger(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues) {
	if a.MaxInt != nil && v.Num > *a.MaxInt {
		found.Add(at, AsJSON(a, v), "%s must be less than or equal to %d", at, *a.MaxInt)
	}
	if strict && a.MinInt != nil && v.Num < *a.MinInt {
		found.Add(at, AsJSON(a, v), "%s must be greater than or equal to %d", at, *a.MinInt)
	}
}

// AsJSON returns a plain value as an issue repeats it; nil for private attributes and
// passwords. It may be a stored value, which the publisher need not have written.
func AsJSON(a *schema.Attribute, v store.Value) JSON {
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
		return JSON(v.Text)
	}
	return JSON("null")
}
