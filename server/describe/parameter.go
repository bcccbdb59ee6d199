package describe

import (
	"slices"
	"strings"

	"quire/schema"
)

// The parameters of queries.

// listParameters are those of a list.
func (d *document) listParameters(t *schema.Type) list {
	own := append(list{d.filters(t), d.parameter("sort", sortSchema)}, d.show(t)...)
	own = append(own, d.parameter("pagination", pagination), d.parameter("_q", search))
	return append(own, d.versions(t)...)
}

// readParameters are those of one entry.
func (d *document) readParameters(t *schema.Type) list {
	own := append(list{d.filters(t)}, d.show(t)...)
	return append(own, d.versions(t)...)
}

// writeParameters are those of a write: where it goes, and what to show of it.
func (d *document) writeParameters(t *schema.Type) list {
	own := d.show(t)
	if t.DraftAndPublish {
		own = append(own, d.parameter("status", status))
	}
	if t.Localized {
		own = append(own, d.localeParameter("writeLocale", false))
	}
	return append(own, d.formatHeader()...)
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
		return inQuery("fields", "The attributes to show; by default all. The ids are always shown.", arrayOf(typed("string").with(member{"enum", texts(fields)})))
	}))
	if len(populated) == 0 {
		return l
	}
	return append(l, d.parameter(d.names[t]+"Populate", func() object {
		return inQuery("populate", populateText(t, populated), arrayOf(typed("string")))
	}))
}

// populateText names what can be populated.
func populateText(t *schema.Type, populated []*schema.Attribute) string {
	var paths []string
	for _, a := range populated {
		paths = append(paths, "`"+a.Name+"`")
	}
	a := populated[0].Name
	return "What to show of relations, media, components and dynamic zones: `*` for everything on the first level, or names of " + strings.Join(paths, ", ") +
		"; a path such as `a.b` goes deeper. `populate[*]=3` is everything on so many levels, up to 5, and `populate[*]=whole` what belongs to the entry at any depth. `populate[" + a + "][fields]`, `[sort]`, `[filters]`, `[populate]` and `[count]` say more about one of them," +
		" and `[on]` about each type in a dynamic zone."
}

// versions are the parameters that choose the version of a document.
func (d *document) versions(t *schema.Type) list {
	var l list
	if d.versioned[t] {
		l = append(l, d.parameter("status", status))
	}
	if t.DraftAndPublish {
		l = append(l, d.parameter("publicationFilter", publicationFilter), d.parameter("hasPublishedVersion", hasPublishedVersion))
	}
	if t.Localized {
		l = append(l, d.localeParameter("locale", true), d.parameter("fallbackLocale", d.fallbackLocale))
	}
	return append(l, d.formatHeader()...)
}

// formatHeader asks for the previous format of answers, where the document
// describes that.
func (d *document) formatHeader() list {
	if !d.legacy {
		return nil
	}
	return list{d.parameter("format", func() object {
		return object{
			{"name", text("Strapi-Response-Format")}, {"in", text("header")}, {"required", flag(true)},
			{"description", text("Asks for the previous format of answers.")},
			{"schema", constant("v4")},
		}
	})}
}

// parameter returns a reference to the parameter of that name, and makes the parameter
// the first time.
func (d *document) parameter(name string, make func() object) object {
	if _, known := d.parameters[name]; !known {
		d.parameters[name] = make()
	}
	return object{{"$ref", text("#/components/parameters/" + name)}}
}

// inQuery is a parameter whose values are one text, separated by commas.
func inQuery(name, about string, s object) object {
	return object{
		{"name", text(name)}, {"in", text("query")}, {"description", text(about)},
		{"style", text("form")}, {"explode", flag(false)}, {"schema", s},
	}
}

// bracketParameter is a parameter in brackets: name[a][b]=c.
func bracketParameter(name, about string, s object) object {
	return object{
		{"name", text(name)}, {"in", text("query")}, {"description", text(about)},
		{"style", text("deepObject")}, {"explode", flag(true)}, {"schema", s},
	}
}

func sortSchema() object {
	return inQuery("sort", "The order: names of attributes, each with `:asc` or `:desc` behind it; `chef.name:desc` sorts by what is related,"+
		" and `_rank` puts first what fits `_q` best. Without it the order is that of the ids.", arrayOf(typed("string")))
}

func pagination() object {
	after := member{"after", described(typed("string"), "Empty for the first page, then the `next` of the page before.")}
	return bracketParameter("pagination", "The part of the list to show: `page` and `pageSize`, or `start` and `limit`, or `after` with `limit` or `pageSize`."+
		" `withCount` false leaves the totals out.", openObject(append(pageProperties(), after)))
}

// barePagination is the pagination of groups, and of lists without meta: these have no cursors.
func barePagination() object {
	return bracketParameter("pagination", "The part of the list to show: `page` and `pageSize`, or `start` and `limit`.", openObject(pageProperties()))
}

func pageProperties() object {
	n := typed("integer")
	return object{{"page", n}, {"pageSize", n}, {"start", n}, {"limit", n}, {"withCount", typed("boolean")}}
}

func search() object {
	return inQuery("_q", "A text to look for in all that can be searched, upper and lower case the same.", typed("string"))
}

func status() object {
	return inQuery("status", "The version of the document; by default the published one.", typed("string").with(member{"enum", texts([]string{"draft", "published"})}))
}

func publicationFilter() object {
	return inQuery("publicationFilter", "How the two versions of a document must stand to each other.", typed("string").with(member{"enum", texts([]string{
		"never-published", "has-published-version", "modified", "unmodified",
		"never-published-document", "has-published-version-document", "published-without-draft", "published-with-draft",
	})}))
}

func hasPublishedVersion() object {
	return inQuery("hasPublishedVersion", "The same as the `publicationFilter` has-published-version-document or never-published-document.", typed("boolean"))
}

// fallbackLocale is the locales that stand in for the one asked for.
func (d *document) fallbackLocale() object {
	return inQuery("fallbackLocale", "The locales, best first, in which a document is shown where it lacks the one asked for; its `locale` says which one it is.", arrayOf(d.locale()))
}

// localeParameter is the locale; with all, "*" too.
func (d *document) localeParameter(name string, all bool) object {
	return d.parameter(name, func() object {
		codes := d.locale()[1].value.(list)
		about := "The locale; by default " + d.site.Settings.DefaultLocale + "."
		if all {
			codes = append(slices.Clone(codes), text("*"))
			about += " `*` means all."
		}
		return inQuery("locale", about, typed("string").with(member{"enum", codes}))
	})
}
