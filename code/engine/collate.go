package engine

import (
	"fmt"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// maxCollators is how many orders of texts are kept, by language and options.
const maxCollators = 32

var ofOrder = map[string]native{"compare": (*machine).nativeCompare}

// nativeCompare: the locale, the sensitivity, whether digits count as numbers, and two texts.
func (m *machine) nativeCompare(a arguments) (any, error) {
	key := fmt.Sprint(a.text(0), " ", a.text(1), " ", a.truth(2))
	c, found := m.collators[key]
	if !found {
		locale, err := language.Parse(a.text(0))
		if err != nil {
			return nil, fmt.Errorf("incorrect locale information provided: %s", a.text(0))
		}
		c = collate.New(locale, sensitivity(a.text(1), a.truth(2))...)
		if len(m.collators) >= maxCollators {
			clear(m.collators)
		}
		m.collators[key] = c
	}
	return c.CompareString(a.text(3), a.text(4)), nil
}

func sensitivity(name string, numeric bool) (options []collate.Option) {
	switch name {
	case "base":
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		options = append(options, collate.IgnoreCase)
	case "case":
		options = append(options, collate.IgnoreDiacritics)
	}
	if numeric {
		options = append(options, collate.Numeric)
	}
	return options
}
