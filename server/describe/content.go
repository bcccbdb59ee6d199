package describe

import (
	"fmt"
	"strings"

	"quire/schema"
)

// What the operations of content types take and show.

// keyOf is the name of an operation of a content type in builtin.api. There a single type
// has the paths of a document, too.
func keyOf(r Route) string {
	path := "$type" + strings.TrimPrefix(r.Path, "/api/"+r.Type.Route())
	if r.Type.Kind == schema.Single {
		path = strings.Replace(path, "$type", "$type/:documentId", 1)
	}
	return r.Method + " " + path
}

// wordsOf returns what stands for the words of builtin.api that are about a content type.
func wordsOf(t *schema.Type) *strings.Replacer {
	one, documents := "one of the "+t.Plural, t.Plural
	if t.Kind == schema.Single {
		one, documents = "the "+t.Singular, t.Singular
	}
	return strings.NewReplacer("$one", one, "$documents", documents, "$plural", t.Plural, "$uid", t.UID)
}

// holds reports whether a condition of builtin.api holds for the operation.
func (d *document) holds(condition string) bool {
	t := d.of
	switch condition {
	case "pictures":
		return d.site.Settings.Upload.Pictures.On()
	case "localized":
		return t.Localized
	case "drafts":
		return t.DraftAndPublish
	case "no drafts":
		return !t.DraftAndPublish
	case "versioned":
		return d.versioned[t]
	case "single":
		return t.Kind == schema.Single
	case "collection":
		return t.Kind == schema.Collection
	}
	panic("there is no condition " + condition)
}

// envelope is the schema of an answer with one entry or a list.
func (d *document) envelope(t *schema.Type, many bool) object {
	name, s := d.names[t], entryForm{legacy: d.legacy}
	if d.legacy {
		name += "Legacy"
	}
	if many {
		return d.define(name+"ListResponse", func() any {
			return closedObject(object{{"data", arrayOf(d.entry(t, s))}, {"meta", d.shared("ListMeta")}})
		})
	}
	return d.define(name+"Response", func() any {
		return closedObject(object{{"data", d.entry(t, s)}, {"meta", openObject(nil)}})
	})
}

// restored is the schema of the answer to a restore.
func (d *document) restored(t *schema.Type) object {
	name := d.names[t]
	if d.legacy {
		name += "Legacy"
	}
	return d.define(name+"RestoredResponse", func() any {
		return closedObject(object{{"data", d.entry(t, entryForm{legacy: d.legacy})}, {"meta", d.named("restoredMeta")}})
	})
}

// figureNames are the attributes of a type that entries can be grouped by, that have an
// order, and that are numbers.
func figureNames(t *schema.Type) (groups, ordered, numbers []string) {
	scalars, _ := outputs(t)
	for _, a := range scalars {
		if a.Kind == schema.JSON || a.Kind == schema.Blocks {
			continue
		}
		groups = append(groups, a.Name)
		if a.Kind == schema.Boolean {
			continue
		}
		ordered = append(ordered, a.Name)
		if a.Kind >= schema.Integer && a.Kind <= schema.Decimal {
			numbers = append(numbers, a.Name)
		}
	}
	return groups, ordered, numbers
}

// figures are the parameters that say by what to group, and what to return of each group.
func (d *document) figures(t *schema.Type) (l list) {
	groups, ordered, numbers := figureNames(t)
	for _, f := range []struct {
		name, about string
		of          []string
	}{
		{"groupBy", "Attributes whose values the entries of a group share: %s; a path such as `a.b` leads to what is related or to a component, and `createdAt.month` is the month of a date, as in `2026-11`. Without it all entries are one group.", groups},
		{"sum", "Numbers to add up: %s, or one of a single component.", numbers},
		{"avg", "Numbers to average: %s, or one of a single component.", numbers},
		{"min", "Attributes whose lowest value is returned: %s, or one of a single component.", ordered},
		{"max", "Attributes whose highest value is returned: %s, or one of a single component.", ordered},
	} {
		if len(f.of) > 0 {
			l = append(l, d.parameter(d.names[t]+strings.ToUpper(f.name[:1])+f.name[1:], func() object {
				return inQuery(f.name, fmt.Sprintf(f.about, quotedNames(f.of)), arrayOf(typed("string")))
			}))
		}
		if f.name == "groupBy" {
			l = append(l, d.sharedParameters("count")...)
		}
	}
	return l
}

func quotedNames(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }
