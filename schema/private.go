package schema

import (
	"fmt"
	"slices"
)

// neverShown are names that a list of private attributes may hold although a
// type has no such attribute: the reference adds them to every type.
var neverShown = []string{"createdBy", "updatedBy", "locale", "localizations"}

// hideListed applies options.privateAttributes of a type. A name that hides
// nothing is a problem: it is likely a misspelt one that was meant to.
func hideListed(t *Type, o object) {
	for _, w := range o.object("options").words("privateAttributes") {
		if !hide(t, w.text) && !slices.Contains(neverShown, w.text) {
			w.refuse(fmt.Sprintf("there is no attribute %q to hide", w.text), "correct the name or remove it")
		}
	}
}

// hideEverywhere applies responses.privateAttributes of site.json to every
// content type and component.
func (l *loader) hideEverywhere() {
	for _, w := range l.config.object("responses").words("privateAttributes") {
		found := slices.Contains(neverShown, w.text)
		for t := range l.site.all() {
			found = hide(t, w.text) || found
		}
		if !found {
			w.refuse(fmt.Sprintf("no type has an attribute %q to hide", w.text), "correct the name or remove it")
		}
	}
}

func hide(t *Type, name string) bool {
	a := t.Attribute(name)
	if a == nil {
		return false
	}
	a.Private = true
	return true
}
