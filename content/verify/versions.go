package verify

import (
	"fmt"
	"slices"
	"strings"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// dates checks the time of publishing, which a draft must not have.
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
		if err := a.single(t, e, at); err != nil {
			return err
		}
	}
	if !t.Localized {
		return nil
	}
	k, found := a.firstVersion(t, e)
	if !found || k == e.Key() {
		return nil
	}
	first, err := a.finder.Entry(t.UID, k)
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

// firstVersion returns the oldest version of a document in the status of an entry, which
// has the lowest id.
func (a *auditor) firstVersion(t *schema.Type, e *store.Entry) (first store.Key, found bool) {
	locales, known := a.locales[t.UID]
	if !known {
		locales = a.tx.Locales(t.UID)
		a.locales[t.UID] = locales
	}
	if len(locales) < 2 {
		return first, false
	}
	var lowest uint64
	for _, locale := range locales {
		k := store.Key{DocumentID: e.DocumentID, Locale: locale, Status: e.Status}
		if id, ok := a.id(t, k); ok && (!found || id < lowest) {
			first, lowest, found = k, id, true
		}
	}
	return first, found
}

// single records the documents of a single type that nobody can see.
func (a *auditor) single(t *schema.Type, e *store.Entry, at Spot) error {
	served, known := a.singles[t.UID]
	if !known {
		var err error
		if served, err = a.servedSingle(t); err != nil {
			return err
		}
		a.singles[t.UID] = served
	}
	if served != "" && e.DocumentID != served {
		a.found.add(Spot{Name: store.Name{Type: at.Name.Type, Key: at.Name.Key}}, Fault{
			Message: fmt.Sprintf("it is of a single type, whose document is %s: it is kept and not served", served), Note: true,
		})
	}
	return nil
}

// servedSingle returns the document of a single type that is served: that of the draft with
// the lowest id, or, without drafts, of the published version with the lowest id.
func (a *auditor) servedSingle(t *schema.Type) (documentID string, err error) {
	var first *store.Entry
	err = a.tx.Scan(t.UID, func(e *store.Entry) error {
		if !t.TakesLocale(e.Locale) || e.Status == store.Draft && !t.DraftAndPublish {
			return nil
		}
		if first == nil || e.Status < first.Status || e.Status == first.Status && e.ID < first.ID {
			first = e
		}
		return nil
	})
	if first != nil {
		documentID = first.DocumentID
	}
	return documentID, err
}

// unique reports the published values that another document has too.
func (a *auditor) unique(t *schema.Type, e *store.Entry, at Spot) {
	if e.Status != store.Published {
		return
	}
	taken := func(way []*schema.Attribute, v store.Value) bool {
		u, ok := valueAt(way, v, e)
		return ok && contested(a.contests, u)
	}
	for _, issue := range content.Duplicates(a.site, t, e, taken) {
		a.found.add(at.Attribute(attributesOf(issue.Path)), Fault{
			Message: fmt.Sprintf("the value %s must be unique, and another entry has it too", issue.Value),
			Fix:     "change one of the values, or allow them in the schema",
		})
	}
}

// attributesOf returns a path without positions in lists.
func attributesOf(path []string) string {
	names := slices.DeleteFunc(slices.Clone(path), func(s string) bool { return s[0] >= '0' && s[0] <= '9' })
	return strings.Join(names, ".")
}
