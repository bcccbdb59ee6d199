package schema

import (
	"errors"
	"slices"
	"strconv"
)

// Filter is which entries of a type exist for a caller: those that meet all conditions of one of
// its Ways. At every level of a read, and for every write, the others do not exist. A Filter
// without Ways is met by no entry; a nil one is met by all.
type Filter struct{ Ways [][]Equality }

// Equality is a condition: an attribute of an entry has a value. If the type does not have the
// attribute, no entry meets it.
type Equality struct {
	Attribute string
	Value     string // of a number or a boolean, its text in JSON
}

// FilterOf returns the Filter of entries that meet one of some lists of conditions; nil if one of
// the lists is empty.
func FilterOf(ways ...[]Equality) *Filter {
	f := &Filter{}
	for _, way := range ways {
		if len(way) == 0 {
			return nil
		}
		if !slices.ContainsFunc(f.Ways, func(other []Equality) bool { return slices.Equal(way, other) }) {
			f.Ways = append(f.Ways, way)
		}
	}
	return f
}

// TakesCondition reports whether a condition can be about an attribute: one with a short text, a
// whole number or a boolean, directly in the entries of a type.
func (a *Attribute) TakesCondition() bool {
	switch a.Kind {
	case String, Text, Email, UID, Enumeration, Integer, BigInteger, Boolean:
		return a.System == NotSystem && !a.Reserved()
	}
	return false
}

// CheckCondition returns an error that says why the attribute cannot have the value of a
// condition.
func (a *Attribute) CheckCondition(value string) error {
	switch a.Kind {
	case Integer, BigInteger:
		if n, err := strconv.ParseInt(value, 10, 64); err != nil || strconv.FormatInt(n, 10) != value {
			return errors.New("this is a whole number, such as 12")
		}
	case Boolean:
		if value != "true" && value != "false" {
			return errors.New("this is true or false")
		}
	case Enumeration:
		if !slices.Contains(a.Enum, value) {
			return errors.New("this is not one of the values of the enumeration")
		}
	}
	return nil
}
