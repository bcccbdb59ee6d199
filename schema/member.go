package schema

import (
	"fmt"
	"slices"
	"strings"
)

// The methods of this file read members of an object by key. null counts as
// absent, as it does in the reference.

func (o object) get(key string) (value, bool) {
	for _, m := range o.members {
		if m.key == key && m.raw[0] != 'n' {
			return m.value, true
		}
	}
	return value{}, false
}

// object returns the object of that key, one without members when it is absent.
func (o object) object(key string) object {
	if v, ok := o.get(key); ok {
		inner, _ := v.object()
		return inner
	}
	return object{value: o.child(pathStep(o.place, key), nil)}
}

// text returns the text of that key, empty when it is absent.
func (o object) text(key string) string {
	if v, ok := o.get(key); ok {
		s, _ := v.text()
		return s
	}
	return ""
}

// flag returns the flag of that key, or what holds without it.
func (o object) flag(key string, otherwise bool) bool {
	if v, ok := o.get(key); ok {
		if set, ok := v.flag(); ok {
			return set
		}
	}
	return otherwise
}

// whole returns the whole number of that key, or what holds without it.
func (o object) whole(key string, least, otherwise int) int {
	if v, ok := o.get(key); ok {
		if n, ok := v.whole(least); ok {
			return n
		}
	}
	return otherwise
}

func (o object) words(key string) []word {
	if v, ok := o.get(key); ok {
		return v.words()
	}
	return nil
}

// refuseAt reports a problem with a member, whether it is there or missing.
func (o object) refuseAt(key, message, fix string) {
	o.child(pathStep(o.place, key), nil).refuse(message, fix)
}

// only reports every key that is not among the known ones.
func (o object) only(known ...string) {
	for _, m := range o.members {
		if !slices.Contains(known, m.key) {
			m.refuse(fmt.Sprintf("%q is not a setting", m.key), "the settings here are "+strings.Join(known, ", "))
		}
	}
}
