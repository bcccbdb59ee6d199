package describe

import (
	"fmt"

	"quire/schema"
)

// find describes what is particular to a route.
func (d *document) find(r Route) operation {
	if r.Type == nil {
		return d.builtIn(r)
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
	}
	return d.remove(r.Type)
}

func (d *document) findMany(t *schema.Type) operation {
	return operation{
		summary:    "List " + t.Plural,
		parameters: d.listParameters(t),
		answers:    []answer{found(d.envelope(t, true))},
	}
}

func (d *document) findOne(t *schema.Type, summary string) operation {
	return operation{
		summary:    summary,
		parameters: d.readParameters(t),
		answers:    []answer{found(d.envelope(t, false))},
	}
}

func (d *document) create(t *schema.Type) operation {
	return operation{
		summary:    fmt.Sprintf("Create one of the %s", t.Plural),
		about:      publishing(t),
		parameters: d.writeParameters(t),
		body:       d.body(d.names[t]+"Create", t, true),
		answers:    []answer{created(d.envelope(t, false))},
	}
}

func (d *document) update(t *schema.Type) operation {
	o := operation{
		summary:    fmt.Sprintf("Change one of the %s", t.Plural),
		about:      "What the body leaves out stays as it is. " + publishing(t),
		parameters: d.writeParameters(t),
		body:       d.body(d.names[t]+"Update", t, false),
		answers:    []answer{written(d.envelope(t, false))},
	}
	if t.Kind == schema.Single {
		o.summary = fmt.Sprintf("Create or change the %s", t.Singular)
	}
	return o
}

func publishing(t *schema.Type) string {
	if !t.DraftAndPublish {
		return ""
	}
	return "The document is published, unless `status` says draft."
}

func (d *document) remove(t *schema.Type) operation {
	o := operation{
		summary: fmt.Sprintf("Delete one of the %s", t.Plural),
		about:   "Draft and published version go. It is no error if there is none.",
		answers: []answer{nothing()},
	}
	if t.Kind == schema.Single {
		o.summary = fmt.Sprintf("Delete the %s", t.Singular)
	}
	if t.Localized {
		o.about += " Without `locale` the default locale's versions go, with `*` all."
		o.parameters = list{d.localeParameter("locale", true)}
	}
	return o
}

// envelope is the schema of an answer with one entry or a list.
func (d *document) envelope(t *schema.Type, many bool) object {
	name, s := d.names[t], shape{legacy: d.legacy}
	if d.legacy {
		name += "Legacy"
	}
	if many {
		return d.define(name+"ListResponse", func() value {
			return closed(object{{"data", arrayOf(d.entry(t, s))}, {"meta", d.define("ListMeta", listMeta)}})
		})
	}
	return d.define(name+"Response", func() value {
		return closed(object{{"data", d.entry(t, s)}, {"meta", open(nil)}})
	})
}

// listMeta tells which part of a list an answer shows. How many there are in all
// is left out where the request asks for that.
func listMeta() value {
	n := typed("integer")
	pages := open(object{{"page", n}, {"pageSize", n}, {"pageCount", n}, {"total", n}}, "page", "pageSize")
	offset := open(object{{"start", n}, {"limit", n}, {"total", n}}, "start", "limit")
	return closed(object{{"pagination", anyOf(pages, offset)}})
}
