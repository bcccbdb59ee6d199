package describe

import (
	"fmt"
	"strings"

	"quire/schema"
)

// What links to a document, and how it stands.

// isLinks reports whether a route of a type is that of the links to a document.
func isLinks(r Route) bool {
	return strings.HasSuffix(r.Path, "/links") && r.Path != "/api/"+r.Type.Route()
}

func (d *document) linksTo(t *schema.Type) operation {
	one := "one of the " + t.Plural
	if t.Kind == schema.Single {
		one = "the " + t.Singular
	}
	return d.linking(fmt.Sprintf("List what links to %s", one))
}

// linking is the list of what links to a document or a file.
func (d *document) linking(summary string) operation {
	return operation{
		summary:    summary,
		about:      "Through relations, media, and components at any depth. Each link that a read would show to the caller is there once, with the entry that has it; those of one document stand together.",
		parameters: list{d.parameter("barePagination", barePagination)},
		answers: []answer{answerFound(d.define("QuireLinks", func() value {
			return closedObject(object{{"data", arrayOf(d.define("QuireLink", d.oneLink))}, {"meta", closedObject(object{{"pagination", anyPagination()}})}})
		}))},
	}
}

func (d *document) oneLink() value {
	return openObject(object{
		{"type", described(typed("string"), "The uid of the content type.")},
		{"documentId", typed("string")},
		{"locale", nullable(d.locale())},
		{"status", words("draft", "published")},
		{"title", described(typed("string"), "The value of the main field, if there is one.")},
		{"path", described(typed("string"), "The attribute that leads there, such as `cover` or `sections.picture`.")},
	}, "type", "documentId", "locale", "status", "path")
}

// include asks for the state of documents.
func include() object {
	return inQuery("include", "`state` shows with each entry how its document stands in each locale; of types with drafts for callers with `readDraft`.", words("state"))
}

// state is the schema of how a document stands in one locale.
func (d *document) state() value {
	return closedObject(object{
		{"locale", nullable(d.locale())}, {"status", words("draft", "modified", "published")},
		{"updatedAt", nullable(moment)}, {"publishedAt", nullable(moment)},
	})
}
