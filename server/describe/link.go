package describe

import (
	"fmt"
	"strings"

	"quire/schema"
)

// linksName is the schema of a relation or media attribute in a body.
func linksName(r *schema.Relation) string {
	if r.Morph() {
		return "MorphLinks"
	}
	return "Links"
}

// linkTo is a link to a document that says more than which one.
func (d *document) linkTo(link, more string) object {
	by := func(name string) object { return object{{"required", list{name}}} }
	return d.schema(fmt.Sprintf("{documentId?: string, id?: integer, locale?: string | null, status?: status,"+
		" position?: {before: %[1]s} | {after: %[1]s} | {start: true} | {end: true}%[2]s}", link, more)).
		with(member{"anyOf", list{by("documentId"), by("id")}})
}

// linksText names the types that an attribute can link to.
func linksText(a *schema.Attribute) string {
	of, to := "One document of ", "any type"
	if a.Relation.Many() {
		of = "Documents of "
	}
	switch {
	case a.Kind == schema.Media && a.Relation.Many():
		return "Files." + onlyFiles(a)
	case a.Kind == schema.Media:
		return "One file." + onlyFiles(a)
	case a.Relation.Target != nil:
		to = a.Relation.Target.UID
	}
	return of + to + "."
}

func onlyFiles(a *schema.Attribute) string {
	if len(a.AllowedFiles) == 0 {
		return ""
	}
	return " Only " + strings.Join(a.AllowedFiles, ", ") + "."
}
