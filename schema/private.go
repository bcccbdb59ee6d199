package schema

import (
	"fmt"
	"slices"

	"quire/schema/source"
)

// neverShown are names that a list of private attributes may contain although a type has no
// such attribute: Strapi adds them to every type.
var neverShown = []string{"createdBy", "updatedBy", "locale", "localizations"}

// hideOfType applies options.privateAttributes of a type. A name that hides nothing is a
// problem: it is probably misspelt, and the attribute that it should hide would be shown.
func hideOfType(t *Type, o source.Object) {
	for _, w := range o.Object("options").Words("privateAttributes") {
		if !hideAttribute(t, w.Text) && !slices.Contains(neverShown, w.Text) {
			w.Refuse(fmt.Sprintf("there is no attribute %q to hide", w.Text), "correct the name or remove it")
		}
	}
}

// hideOfSite applies responses.privateAttributes of site.json to every
// content type and component.
func (l *loader) hideOfSite() {
	for _, w := range l.config.Object("responses").Words("privateAttributes") {
		found := slices.Contains(neverShown, w.Text)
		for t := range l.site.allTypes() {
			found = hideAttribute(t, w.Text) || found
		}
		if !found {
			w.Refuse(fmt.Sprintf("no type has an attribute %q to hide", w.Text), "correct the name or remove it")
		}
	}
}

func hideAttribute(t *Type, name string) bool {
	a := t.Attribute(name)
	if a == nil {
		return false
	}
	a.Private = true
	return true
}
