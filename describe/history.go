package describe

import (
	"fmt"
	"strings"

	"quire/schema"
)

// What a document was before.

func (d *document) history(r Route) operation {
	switch {
	case strings.HasSuffix(r.Path, "/restore"):
		return d.restoreVersion(r.Type)
	case strings.HasSuffix(r.Path, "/:revision"):
		return d.findVersion(r.Type)
	}
	return operation{
		summary:    fmt.Sprintf("List what one of the %s was", named(r.Type)),
		about:      "Its versions, newest first, with those that are current. Versions of drafts need `readDraft` too.",
		parameters: append(list{d.parameter("barePagination", barePagination)}, d.ofVersion(r.Type)...),
		answers: []answer{answerFound(d.define("HistoryResponse", func() value {
			return closedObject(object{{"data", arrayOf(d.version())}, {"meta", openObject(object{{"pagination", pagesTold()}})}})
		}))},
	}
}

// named is how a summary calls the documents of a type.
func named(t *schema.Type) string {
	if t.Kind == schema.Single {
		return t.Singular
	}
	return t.Plural
}

// ofVersion says which versions are meant.
func (d *document) ofVersion(t *schema.Type) (l list) {
	if t.DraftAndPublish {
		l = append(l, d.parameter("versionStatus", func() object {
			return inQuery("status", "Versions of drafts or of published entries alone.", object{{"type", text("string")}, {"enum", texts([]string{"draft", "published"})}})
		}))
	}
	if t.Localized {
		l = append(l, d.parameter("versionLocale", func() object {
			return inQuery("locale", "Versions in one locale alone.", typed("string").with(member{"enum", d.locale()[1].value.(list)}))
		}))
	}
	return l
}

func (d *document) findVersion(t *schema.Type) operation {
	diff := d.parameter("diff", func() object {
		return inQuery("diff", "Another revision of the same locale and status: answers with the paths in which the two differ, and both values.", typed("string"))
	})
	return operation{
		summary:    fmt.Sprintf("Read a version of one of the %s", named(t)),
		about:      "As it was, by today's schema: relations lead by documentId to what there still is, and `meta.gone` names what the schema no longer has.",
		parameters: append(list{diff}, d.ofVersion(t)...),
		answers: []answer{answerFound(d.define("VersionResponse", func() value {
			return closedObject(object{{"data", anyOf(openObject(nil), arrayOf(d.difference()))}, {"meta", openObject(nil)}})
		}))},
	}
}

func (d *document) difference() value {
	return d.define("Difference", func() value {
		return closedObject(object{{"path", typed("string")}, {"value", object{}}, {"other", object{}}})
	})
}

func (d *document) restoreVersion(t *schema.Type) operation {
	about := "Writes what the version was."
	if t.DraftAndPublish {
		about = "Writes what the version was into the draft."
	}
	return operation{
		summary: fmt.Sprintf("Restore a version of one of the %s", named(t)),
		about: about + " It needs the permission to update as well, and the one to create where the document is gone." +
			" Links to what is gone are left out, and `meta.dropped` names them.",
		parameters: append(d.show(t), d.ofVersion(t)...),
		answers:    []answer{answerWritten(d.envelope(t, false))},
	}
}

// version is the schema of what is told of a version.
func (d *document) version() value {
	return d.define("Version", func() value {
		moment := nullable(typed("string"))
		actor := d.define("Actor", func() value {
			return openObject(object{{"kind", typed("string")}, {"id", typed("string")}, {"name", typed("string")}}, "kind")
		})
		who := anyOf(actor, object{{"type", text("null")}})
		removed := openObject(object{{"revision", typed("integer")}, {"at", moment}, {"action", nullable(typed("string"))}, {"actor", who}}, "revision", "at", "action", "actor")
		return openObject(object{
			{"revision", described(typed("integer"), "The number of the write that made it.")}, {"at", moment}, {"action", nullable(typed("string"))}, {"actor", who},
			{"locale", nullable(typed("string"))}, {"status", typed("string")}, {"current", typed("boolean")},
			{"removed", described(removed, "The write that removed it, where nothing came after it.")},
		}, "revision", "at", "action", "actor", "locale", "status", "current")
	})
}
