package source

import (
	"fmt"
	"slices"
	"strings"
)

// Object is a JSON object with its members in the order of the file. An absent object has
// no members, so that optional parts can be read without a check.
//
// Its methods read a member by its key. null counts as absent, as it does in
// Strapi.
type Object struct {
	Value
	Members []Member
}

// Member is one key of an object and the value under it.
type Member struct {
	Key string
	Value
}

// Get returns the value at the key, and whether there is one.
func (o Object) Get(key string) (Value, bool) {
	for _, m := range o.Members {
		if m.Key == key && m.Raw[0] != 'n' {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Object returns the object at the key, one without members if it is absent.
func (o Object) Object(key string) Object {
	if v, ok := o.Get(key); ok {
		inner, _ := v.Object()
		return inner
	}
	return Object{Value: o.At(key)}
}

// Text returns the text at the key, empty if it is absent.
func (o Object) Text(key string) string {
	if v, ok := o.Get(key); ok {
		s, _ := v.Text()
		return s
	}
	return ""
}

// Flag returns the true or false at the key, or otherwise if there is none.
func (o Object) Flag(key string, otherwise bool) bool {
	if v, ok := o.Get(key); ok {
		if set, ok := v.flag(); ok {
			return set
		}
	}
	return otherwise
}

// Whole returns the whole number at the key, which must not be below least, or otherwise if
// there is none.
func (o Object) Whole(key string, least, otherwise int) int {
	if v, ok := o.Get(key); ok {
		if n, ok := v.Whole(least); ok {
			return n
		}
	}
	return otherwise
}

// Words returns the texts of the list at the key, none if it is absent.
func (o Object) Words(key string) []Word {
	if v, ok := o.Get(key); ok {
		return v.Words()
	}
	return nil
}

// At returns the place of a member without its value, to report problems there.
func (o Object) At(key string) Value { return o.child(pathStep(o.place, key), nil) }

// RefuseAt reports a problem with a member, whether it is present or missing.
func (o Object) RefuseAt(key, message, fix string) {
	o.At(key).Refuse(message, fix)
}

// Only reports every key that is not among the known ones.
func (o Object) Only(known ...string) {
	for _, m := range o.Members {
		if !slices.Contains(known, m.Key) {
			m.Refuse(fmt.Sprintf("%q is not a setting", m.Key), "the settings here are "+strings.Join(known, ", "))
		}
	}
}
