package audit

import (
	"fmt"
	"slices"
	"strings"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// dates checks when an entry was published, which a draft never was.
func (a *auditor) dates(at Spot, e *store.Entry) (faulty bool) {
	if (e.Status == store.Draft) == (e.PublishedAt == 0) {
		return false
	}
	message := "it is published, and does not say since when"
	if e.Status == store.Draft {
		message = "it is a draft, and says that it was published"
	}
	a.found.add(at, Fault{Message: message})
	return true
}

// version checks an entry against the other versions of its document.
func (a *auditor) version(t *schema.Type, e *store.Entry, at Spot) error {
	if t.Kind == schema.Single {
		a.single(t, e, at)
	}
	if !t.Localized {
		return nil
	}
	versions := slices.DeleteFunc(a.snapshot.Versions(t, e.DocumentID), func(k store.Key) bool { return k.Status != e.Status })
	if len(versions) == 0 || versions[0] == e.Key() {
		return nil
	}
	first, err := a.tx.Entry(t.UID, versions[0])
	if err != nil || first == nil {
		return err
	}
	for _, attribute := range t.Attributes {
		// In imported versions the components may have ids of their own.
		if attribute.IsShared() && !e.Value(attribute.Name).EqualButIDs(first.Value(attribute.Name)) {
			a.found.add(at.Attribute(attribute.Name), Fault{
				Message: "it differs between the locales of a document, which share it: a write in one of them carries its value to the others", Note: true,
			})
		}
	}
	return nil
}

// single notes the documents of a single type that nobody is shown.
func (a *auditor) single(t *schema.Type, e *store.Entry, at Spot) {
	served, ok := a.singles[t.UID]
	if !ok {
		served, _ = a.snapshot.SingleDocument(t)
		a.singles[t.UID] = served
	}
	if served != "" && e.DocumentID != served {
		a.found.add(Spot{Name: store.Name{Type: at.Name.Type, Key: at.Name.Key}}, Fault{
			Message: fmt.Sprintf("it is of a single type, whose document is %s: it is kept and not served", served), Note: true,
		})
	}
}

// unique reports the published values that another document has too.
func (a *auditor) unique(t *schema.Type, e *store.Entry, at Spot) {
	if e.Status != store.Published {
		return
	}
	for _, issue := range content.Duplicates(a.site, a.snapshot, t, e) {
		a.found.add(at.Attribute(attributesOf(issue.Path)), Fault{
			Message: fmt.Sprintf("the value %s must be unique, and another one has it too", issue.Value),
			Fix:     "change one of the values, or allow them in the schema",
		})
	}
}

// attributesOf is a path without positions in lists.
func attributesOf(path []string) string {
	names := slices.DeleteFunc(slices.Clone(path), func(s string) bool { return s[0] >= '0' && s[0] <= '9' })
	return strings.Join(names, ".")
}
