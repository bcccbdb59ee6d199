package describe

import (
	"strings"

	"quire/schema"
)

// links is the schema of a relation or media attribute in a body.
func (d *document) links(r *schema.Relation) object {
	if r.Morph() {
		return d.define("MorphLinks", func() value {
			var uids []string
			for _, t := range d.site.Public() {
				uids = append(uids, t.UID)
			}
			kind := typed("string").with(member{"enum", texts(uids)})
			to := d.define("MorphLink", func() value { return d.linkTo(schemaRef("MorphLink"), member{"__type", kind}) })
			return linkForms(to)
		})
	}
	return d.define("Links", func() value {
		to := d.define("DocumentLink", func() value {
			return anyOf(typed("string"), typed("integer"), d.linkTo(schemaRef("DocumentLink")))
		})
		return linkForms(to)
	})
}

// linkForms are the forms of links in a body: the whole list, or changes to it.
func linkForms(link object) object {
	some := anyOf(link, arrayOf(link))
	options := openObject(object{{"strict", typed("boolean")}})
	changes := openObject(object{{"set", some}, {"connect", some}, {"disconnect", some}, {"options", options}})
	return anyOf(typed("null"), link, arrayOf(link), changes)
}

// linkTo is a link with more than its target.
func (d *document) linkTo(link object, more ...member) object {
	yes := object{{"type", text("boolean")}, {"const", flag(true)}}
	position := anyOf(
		closedObject(object{{"before", link}}), closedObject(object{{"after", link}}),
		closedObject(object{{"start", yes}}), closedObject(object{{"end", yes}}),
	)
	properties := object{
		{"documentId", typed("string")},
		{"id", typed("integer")},
		{"locale", nullable(typed("string"))},
		{"status", typed("string").with(member{"enum", texts([]string{"draft", "published"})})},
		{"position", position},
	}
	var names []string
	for _, m := range more {
		names = append(names, m.key)
	}
	by := func(name string) object { return object{{"required", texts([]string{name})}} }
	return openObject(append(properties, more...), names...).with(member{"anyOf", list{by("documentId"), by("id")}})
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
