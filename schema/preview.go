package schema

import (
	"fmt"

	"quire/schema/settings"
	"quire/schema/source"
)

// readPreviews reads where the front end shows documents, for types with drafts. An address
// can use only attributes that everybody who reads a document of the type sees.
func (l *loader) readPreviews() {
	l.site.Settings.ReadPreviews(l.config, func(m source.Member, names []string) bool {
		if !l.typeExists(m) {
			return false
		}
		t := l.site.Type(m.Key)
		if !t.DraftAndPublish {
			m.Refuse("the type has no drafts to preview", "switch on draftAndPublish in its schema, or remove this")
			return false
		}
		for _, name := range names {
			if fault := placeholderFault(t, name); fault != "" {
				m.Refuse(fmt.Sprintf("{%.100s} %s", name, fault), "use {documentId}, {locale}, {status} or the name of an attribute that is a plain value")
				return false
			}
		}
		return true
	})
}

// placeholderFault returns why a placeholder cannot be used in addresses of documents of
// the type, or "".
func placeholderFault(t *Type, name string) string {
	switch name {
	case settings.PlaceDocumentID, settings.PlaceStatus, settings.PlaceLocale:
		return ""
	}
	a := t.Attribute(name)
	switch {
	case a == nil:
		return "is no attribute of the type"
	case a.Hidden():
		return "is private"
	case !a.IsScalar(), a.Kind == JSON, a.Kind == Blocks, a.Kind == RichText:
		return "is not a plain value"
	}
	return ""
}
