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
		answers: []answer{answerFound(d.define("QuireHistory", func() value {
			return closedObject(object{{"data", arrayOf(d.version())}, {"meta", closedObject(object{{"pagination", anyPagination()}, {"createdBy", nullable(d.actor())}})}})
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
	l = append(l, d.parameter("versionStatus", func() object {
		return inQuery("status", "Versions of drafts or of published entries alone.", words("draft", "published"))
	}))
	if t.Localized {
		l = append(l, d.parameter("versionLocale", func() object {
			codes := append(d.locale()[1].value.(list), text("*"))
			return inQuery("locale", "Versions in one locale alone; `*` means all.", typed("string").with(member{"enum", codes}))
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
		fails:      []string{"410"},
		about:      "As it was, by today's schema: relations and media lead by documentId to what there still is, and `meta.gone` names what the schema no longer has.",
		parameters: append(list{diff}, d.ofVersion(t)...),
		answers: []answer{answerFound(d.define(d.names[t]+"FormerResponse", func() value {
			gone := described(arrayOf(typed("string")), "What is stored of the version and is no longer in the schema.")
			shown := closedObject(object{{"data", d.former(t, "")}, {"meta", openObject(append(versionMembers(d), member{"gone", gone}), append(versionNames(), "gone")...)}})
			return anyOf(shown, d.define("QuireDifferences", d.differences))
		}))},
	}
}

// differences is the schema of a comparison of two versions.
func (d *document) differences() value {
	one := closedObject(object{{"path", typed("string")}, {"value", object{}}, {"other", object{}}})
	more := described(typed("boolean"), "There are more than are listed.")
	meta := openObject(append(versionMembers(d), member{"other", d.version()}, member{"more", more}), append(versionNames(), "other", "more")...)
	return closedObject(object{{"data", arrayOf(one)}, {"meta", meta}})
}

func (d *document) restoreVersion(t *schema.Type) operation {
	about := "Writes what the version was."
	if t.DraftAndPublish {
		about = "Writes what the version was into the draft."
	}
	name := d.names[t]
	if d.legacy {
		name += "Legacy"
	}
	restored := d.define(name+"RestoredResponse", func() value {
		dropped := arrayOf(closedObject(object{{"path", typed("string")}, {"documentId", typed("string")}}))
		meta := closedObject(object{{"dropped", described(dropped, "Links to what is gone, which were left out.")}})
		return closedObject(object{{"data", d.entry(t, entryForm{legacy: d.legacy})}, {"meta", meta}})
	})
	return operation{
		summary:    fmt.Sprintf("Restore a version of one of the %s", named(t)),
		fails:      []string{"410"},
		about:      about + " It needs the permission to update as well, and the one to create where the document is gone.",
		parameters: append(append(d.show(t), d.ofVersion(t)...), d.formatHeader()...),
		body:       emptyBody,
		answers:    []answer{answerWritten(restored)},
	}
}

// version is the schema of what is shown about a version.
func (d *document) version() object {
	return d.define("QuireVersion", func() value { return openObject(versionMembers(d), versionNames()...) })
}

// versionNames are the members that every version has.
func versionNames() []string {
	return []string{"revision", "at", "action", "actor", "locale", "status", "current"}
}

// actor is the schema of who wrote.
func (d *document) actor() object {
	return d.define("QuireActor", func() value {
		return openObject(object{{"kind", words(actorKinds...)}, {"id", typed("string")}, {"name", typed("string")}}, "kind")
	})
}

func versionMembers(d *document) object {
	moment := nullable(moment)
	did := nullable(words(historyActions...))
	who := nullable(d.actor())
	removed := openObject(object{{"revision", typed("integer")}, {"at", moment}, {"action", did}, {"actor", who}}, "revision", "at", "action", "actor")
	return object{
		{"revision", described(typed("integer"), "The number of the write that made it, which its answer had as `Quire-Version`.")}, {"at", moment}, {"action", did}, {"actor", who},
		{"locale", nullable(d.locale())}, {"status", words("draft", "published")}, {"current", typed("boolean")},
		{"removed", described(removed, "The write that removed it, where nothing came after it.")},
	}
}

// What stores write as actions and actors.
var (
	historyActions = []string{"create", "update", "publish", "unpublish", "discard-draft", "duplicate", "restore", "delete", "import", "link", "migrate"}
	actorKinds     = []string{"token", "user", "admin", "command", "schedule", "public"}
)
