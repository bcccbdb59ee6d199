package describe

import (
	"strings"

	"quire/schema"
)

// The parameters of queries.

// sharedParameters are parameters by the names that operations of builtin.api have for them:
// parameters of that file, those of the type that is being described, and User* and
// UserFilters of the built-in types.
func (d *document) sharedParameters(names ...string) (l list) {
	for _, name := range names {
		lines := builtin()["parameter "+name]
		ofType, isShow := strings.CutSuffix(name, "*")
		filtered, isFilters := strings.CutSuffix(name, "Filters")
		switch {
		case name == "format" && !d.legacy:
		case lines != nil:
			l = append(l, d.parameter(name, func() object { return d.parameterIn(lines[0]) }))
		case name == "filters":
			l = append(l, d.filters(d.of))
		case name == "show":
			l = append(l, d.show(d.of)...)
		case name == "figures":
			l = append(l, d.figures(d.of)...)
		case name == "versions":
			l = append(l, d.versions(d.of)...)
		case name == "writing":
			l = append(l, d.writing(d.of)...)
		case isShow:
			l = append(l, d.show(d.builtInType(ofType))...)
		case isFilters:
			l = append(l, d.filters(d.builtInType(filtered)))
		default:
			panic("there is no parameter " + name)
		}
	}
	return l
}

// parameterIn reads a parameter: `query state: "done" | "failed" /* Only those. */`.
func (d *document) parameterIn(line string) object {
	head, text, _ := strings.Cut(line, ": ")
	place, name, _ := strings.Cut(head, " ")
	s := d.schema(text)
	last := len(s) - 1
	about := s[last].value.(string)
	switch place {
	case "query":
		return inQuery(name, about, s[:last])
	case "deep":
		return bracketParameter(name, about, s[:last])
	}
	header := object{{"name", name}, {"in", "header"}, {"description", about}, {"schema", s[:last]}}
	if name == "Strapi-Response-Format" {
		header = header.with(member{"required", true})
	}
	return header
}

// writing are the parameters that say which version is written.
func (d *document) writing(t *schema.Type) (l list) {
	if t.DraftAndPublish {
		l = d.sharedParameters("status")
	}
	if t.Localized {
		l = append(l, d.sharedParameters("writeLocale")...)
	}
	return append(l, d.sharedParameters("format")...)
}

// versions are the parameters that choose the version of a document.
func (d *document) versions(t *schema.Type) (l list) {
	if d.versioned[t] {
		l = d.sharedParameters("status")
	}
	if t.DraftAndPublish {
		l = append(l, d.sharedParameters("publicationFilter", "hasPublishedVersion")...)
	}
	if t.Localized {
		l = append(l, d.sharedParameters("locale", "fallbackLocale")...)
	}
	return append(l, d.sharedParameters("format")...)
}

// show are fields and populate.
func (d *document) show(t *schema.Type) list {
	var l list
	scalars, populated := outputs(t)
	fields := []string{"*", "id", "documentId"}
	for _, a := range scalars {
		fields = append(fields, a.Name)
	}
	l = append(l, d.parameter(d.names[t]+"Fields", func() object {
		return inQuery("fields", "The attributes to show; by default all. The ids are always shown.", arrayOf(words(fields...)))
	}))
	if len(populated) == 0 {
		return l
	}
	return append(l, d.parameter(d.names[t]+"Populate", func() object {
		return inQuery("populate", populateText(populated), arrayOf(typed("string")))
	}))
}

// populateText names what can be populated.
func populateText(populated []*schema.Attribute) string {
	var paths []string
	for _, a := range populated {
		paths = append(paths, a.Name)
	}
	a := populated[0].Name
	return "What to show of relations, media, components and dynamic zones: `*` for everything on the first level, or names of " + quotedNames(paths) +
		"; a path such as `a.b` goes deeper. `populate[*]=3` is everything on so many levels, up to 5, and `populate[*]=whole` what belongs to the entry at any depth. `populate[" + a + "][fields]`, `[sort]`, `[filters]`, `[populate]` and `[count]` say more about one of them," +
		" and `[on]` about each type in a dynamic zone."
}

// parameter returns a reference to the parameter of that name, and makes the parameter
// the first time.
func (d *document) parameter(name string, make func() object) object {
	if _, known := d.parameters[name]; !known {
		d.parameters[name] = make()
	}
	return object{{"$ref", "#/components/parameters/" + name}}
}

// inQuery is a parameter whose values are one text, separated by commas.
func inQuery(name, about string, s object) object {
	return object{
		{"name", name}, {"in", "query"}, {"description", about},
		{"style", "form"}, {"explode", false}, {"schema", s},
	}
}

// bracketParameter is a parameter in brackets: name[a][b]=c.
func bracketParameter(name, about string, s object) object {
	return object{
		{"name", name}, {"in", "query"}, {"description", about},
		{"style", "deepObject"}, {"explode", true}, {"schema", s},
	}
}
