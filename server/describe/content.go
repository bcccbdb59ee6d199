package describe

import (
	"fmt"
	"path"

	"quire/schema"
)

// describeRoute is the operation of a route, without what all routes have.
func (d *document) describeRoute(r Route) operation {
	if r.Type == nil {
		return d.builtIn(r)
	}
	switch path.Base(r.Path) {
	case "_count":
		return d.countMany(r.Type)
	case "_aggregate":
		return d.aggregateMany(r.Type)
	}
	if isLinks(r) {
		return d.linksTo(r.Type)
	}
	if o, ok := d.lifecycle(r); ok {
		return o
	}
	switch r.Action {
	case schema.Find:
		if r.Type.Kind == schema.Single {
			return d.findOne(r.Type, fmt.Sprintf("Read the %s", r.Type.Singular))
		}
		return d.findMany(r.Type)
	case schema.FindOne:
		return d.findOne(r.Type, fmt.Sprintf("Read one of the %s", r.Type.Plural))
	case schema.Create:
		return d.create(r.Type)
	case schema.Update:
		return d.update(r.Type)
	case schema.ReadHistory:
		return d.history(r)
	case schema.PreviewLink:
		return d.previewLink(r.Type)
	}
	return d.remove(r.Type)
}

func (d *document) findMany(t *schema.Type) operation {
	return operation{
		summary:    "List " + t.Plural,
		parameters: append(append(d.listParameters(t), d.parameter("include", include)), d.preview(t)...),
		answers:    []answer{answerFound(d.envelope(t, true))},
	}
}

func (d *document) findOne(t *schema.Type, summary string) operation {
	return operation{
		summary:    summary,
		parameters: append(append(d.readParameters(t), d.parameter("include", include)), d.preview(t)...),
		answers:    []answer{answerFound(d.envelope(t, false))},
	}
}

func (d *document) create(t *schema.Type) operation {
	return operation{
		summary:    fmt.Sprintf("Create one of the %s", t.Plural),
		about:      publishingText(t, schema.CreateDraft),
		parameters: d.writeParameters(t),
		body:       d.body(d.names[t]+"Create", t, true),
		answers:    []answer{answerCreated(d.envelope(t, false))},
	}
}

func (d *document) update(t *schema.Type) operation {
	o := operation{
		summary:    fmt.Sprintf("Change one of the %s", t.Plural),
		about:      "What the body leaves out stays as it is. " + publishingText(t, schema.UpdateDraft),
		parameters: d.writeParameters(t),
		body:       d.body(d.names[t]+"Update", t, false),
		answers:    []answer{answerWritten(d.envelope(t, false))},
	}
	if t.Kind == schema.Single {
		o.summary = fmt.Sprintf("Create or change the %s", t.Singular)
	}
	return o
}

func publishingText(t *schema.Type, draft schema.Action) string {
	if !t.DraftAndPublish {
		return ""
	}
	return fmt.Sprintf("The document is published, unless `status` says draft, for which `%s.%s` is enough.", t.UID, draft)
}

func (d *document) remove(t *schema.Type) operation {
	o := operation{
		summary: fmt.Sprintf("Delete one of the %s", t.Plural),
		about:   "Draft and published version go. It is no error if there is none.",
		answers: []answer{answerEmpty()},
	}
	if t.Kind == schema.Single {
		o.summary = fmt.Sprintf("Delete the %s", t.Singular)
	}
	if t.Localized {
		o.about += " Without `locale` the default locale's versions go, with `*` all."
		o.parameters = append(o.parameters, d.localeParameter("locale", true))
	}
	return o
}

// envelope is the schema of an answer with one entry or a list.
func (d *document) envelope(t *schema.Type, many bool) object {
	name, s := d.names[t], entryForm{legacy: d.legacy}
	if d.legacy {
		name += "Legacy"
	}
	if many {
		return d.define(name+"ListResponse", func() value {
			return closedObject(object{{"data", arrayOf(d.entry(t, s))}, {"meta", d.define("ListMeta", listMeta)}})
		})
	}
	return d.define(name+"Response", func() value {
		return closedObject(object{{"data", d.entry(t, s)}, {"meta", openObject(nil)}})
	})
}

// listMeta is the schema of the paging of a list. The total is absent if the request
// asks for that.
func listMeta() value {
	return closedObject(object{{"pagination", anyOf(anyPagination(), goingOn("limit"), goingOn("pageSize"))}})
}

// goingOn is the paging of a list that is read from cursor to cursor.
func goingOn(size string) object {
	n := typed("integer")
	next := described(nullable(typed("string")), "The cursor of the next page, for pagination[after]; null on the last page.")
	return openObject(object{{size, n}, {"pageCount", n}, {"total", n}, {"next", next}}, size, "next")
}

func anyPagination() object {
	n := typed("integer")
	pages := openObject(object{{"page", n}, {"pageSize", n}, {"pageCount", n}, {"total", n}}, "page", "pageSize")
	offset := openObject(object{{"start", n}, {"limit", n}, {"total", n}}, "start", "limit")
	return anyOf(pages, offset)
}
