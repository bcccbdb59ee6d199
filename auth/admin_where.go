package auth

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/schema"
)

// Where is a condition on a right: an attribute of the entry equals Is, or the value that the
// account has under a name. Without such a value, no entry meets it.
type Where struct {
	Attribute string `json:"attribute"`
	Is        string `json:"is,omitempty"`      // of a number or a boolean, its text
	Account   string `json:"account,omitempty"` // a name in AccountValues
}

// AccountValues are the named values of an account, such as its team.
type AccountValues map[string]string

// Limits of the values of an account.
const (
	MostAccountValues = 10
	longestValue      = 256 // bytes of a value, and of one in a condition
	longestValueName  = 40  // bytes
)

// AccountValueError reports an error in the values of an account.
type AccountValueError struct{ Name, Message string }

func (e *AccountValueError) Error() string { return e.Message }

// Check validates the values. Its error is an *AccountValueError.
func (v AccountValues) Check() error {
	if len(v) > MostAccountValues {
		return &AccountValueError{"", fmt.Sprintf("An account has at most %d values", MostAccountValues)}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch {
		case !isValueName(name):
			return &AccountValueError{name, fmt.Sprintf("The name of a value is made of at most %d letters, digits, - and _", longestValueName)}
		case !isValue(v[name]):
			return &AccountValueError{name, fmt.Sprintf("A value is one line of 1 to %d bytes", longestValue)}
		}
	}
	return nil
}

func isValue(text string) bool {
	return text != "" && len(text) <= longestValue && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func isValueName(name string) bool {
	other := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	}
	return name != "" && len(name) <= longestValueName && !strings.ContainsFunc(name, other)
}

// NamesValues reports whether a condition of the role is about a value of the account.
func (r *AdminRole) NamesValues() bool {
	for _, rights := range r.Types {
		if slices.ContainsFunc(rights.Where, func(w Where) bool { return w.Account != "" }) {
			return true
		}
	}
	return false
}

// For returns the role for an account with these values. Where a condition names a value that the
// account does not have, it allows nothing.
func (r *AdminRole) For(values AccountValues) AdminRole {
	of := *r
	if !r.NamesValues() {
		return of
	}
	of.Types = maps.Clone(r.Types)
	for uid, rights := range of.Types {
		rights.Where = slices.Clone(rights.Where)
		for i, w := range rights.Where {
			switch value := values[w.Account]; {
			case w.Account == "":
			case value == "":
				rights.Actions = nil
			default:
				rights.Where[i] = Where{Attribute: w.Attribute, Is: value}
			}
		}
		of.Types[uid] = rights
	}
	return of
}

// conditions returns what an entry meets; false if none can, because the account lacks a value.
func (r *TypeRights) conditions() (all []schema.Equality, some bool) {
	for _, w := range r.Where {
		if w.Account != "" {
			return nil, false
		}
		all = append(all, schema.Equality{Attribute: w.Attribute, Value: w.Is})
	}
	return all, true
}

// checkWhere checks the conditions of a role. One may be about an attribute that only some of the
// types have that EveryType stands for: the others are then closed.
func (r *AdminRole) checkWhere(site *schema.Site) error {
	all := 0
	for _, uid := range slices.Sorted(maps.Keys(r.Types)) {
		rights := r.Types[uid]
		if all += len(rights.Where); all > maxRoleWhere {
			return &AdminRoleError{at(uid, "where"), fmt.Sprintf("a role has %d conditions at most", maxRoleWhere)}
		}
		for i, w := range rights.Where {
			if err := w.check(typesOf(site, uid)); err != nil {
				key, message, _ := strings.Cut(err.Error(), ": ")
				return &AdminRoleError{append(at(uid, "where"), fmt.Sprint(i), key), message}
			}
		}
	}
	return nil
}

// check returns an error that begins with the key that is wrong.
func (w *Where) check(types []*schema.Type) error {
	var attributes []*schema.Attribute
	for _, t := range types {
		if a := t.Attribute(w.Attribute); a != nil && a.TakesCondition() {
			attributes = append(attributes, a)
		}
	}
	switch {
	case len(attributes) == 0:
		return fmt.Errorf("attribute: there is no attribute %.100q of a kind that a condition can be about", w.Attribute)
	case (w.Is == "") == (w.Account == ""):
		return fmt.Errorf("is: a condition has either a value or the name of a value of the account")
	case w.Account != "" && !isValueName(w.Account):
		return fmt.Errorf("account: %.100q cannot be the name of a value", w.Account)
	case w.Account != "":
		return nil
	case !isValue(w.Is):
		return fmt.Errorf("is: a value is one line of at most %d bytes", longestValue)
	}
	for _, a := range attributes {
		if err := a.CheckCondition(w.Is); err != nil && len(attributes) == 1 {
			return fmt.Errorf("is: %w", err)
		}
	}
	return nil
}
