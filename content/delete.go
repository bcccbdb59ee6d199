package content

import (
	"quire/schema"
	"quire/store"
)

// AllLocales asks a delete for every locale of a document.
const AllLocales = "*"

// delete plans to delete the draft and published version of a document in one
// locale or in all. Deleting what is not there is fine. Links to the document
// stay with their owners, where they lead to nothing and are not shown.
func (op *operation) delete(r Request) (Result, error) {
	t, documentID, locale := r.Type, r.DocumentID, r.Locale
	if t.Kind == schema.Single && documentID == "" {
		documentID, _ = op.content.SingleDocument(t)
	}
	switch {
	case !t.Localized:
		locale = ""
	case locale == "":
		locale = op.site.Settings.DefaultLocale
	}
	for _, k := range op.content.Versions(t, documentID) {
		if k.Locale != locale && locale != AllLocales {
			continue
		}
		if err := op.remove(t, k); err != nil {
			return Result{}, err
		}
	}
	return Result{DocumentID: documentID, Locale: locale, Status: store.Published}, nil
}
