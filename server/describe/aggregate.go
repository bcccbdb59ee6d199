package describe

import (
	"fmt"
	"strings"

	"quire/schema"
)

// The aggregates of a type's entries.

// selectParameters are those that select entries.
func (d *document) selectParameters(t *schema.Type) list {
	return append(list{d.filters(t), d.parameter("_q", search)}, d.versions(t)...)
}

func (d *document) countMany(t *schema.Type) operation {
	return operation{
		summary:    "Count " + t.Plural,
		about:      "Returns the number of entries in the list with the same parameters.",
		parameters: d.selectParameters(t),
		answers: []answer{answerFound(d.define("CountResponse", func() value {
			return closedObject(object{{"data", closedObject(object{{"count", typed("integer")}})}, {"meta", openObject(nil)}})
		}))},
	}
}

func (d *document) aggregateMany(t *schema.Type) operation {
	return operation{
		summary: "Aggregate " + t.Plural,
		about:   "Aggregates of the selected entries, by group: their number, sums, averages, lowest and highest values.",
		parameters: append(d.figureParameters(t), append(list{
			d.parameter("groupSort", groupOrder), d.parameter("barePagination", barePagination),
		}, d.selectParameters(t)...)...),
		answers: []answer{answerFound(d.define("AggregateResponse", func() value {
			group := d.define("AggregateGroup", aggregateGroup)
			return closedObject(object{{"data", anyOf(arrayOf(group), group)}, {"meta", openObject(object{{"pagination", anyPagination()}})}})
		}))},
	}
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

// figureParameters say by what to group, and what to return of each group.
func (d *document) figureParameters(t *schema.Type) list {
	name := d.names[t]
	groups, ordered, numbers := figureNames(t)
	parameters := list{
		d.parameter(name+"GroupBy", func() object {
			return inQuery("groupBy", "Attributes whose values the entries of a group share: "+quotedNames(groups)+"; a path such as `a.b` leads to what is related or to a component. Without it all entries are one group.", arrayOf(typed("string")))
		}),
		d.parameter("count", func() object {
			return inQuery("count", "Whether to return the number of entries in each group; the default if no other aggregate is requested.", typed("boolean"))
		}),
	}
	for _, f := range []struct {
		function, about string
		of              []string
	}{
		{"sum", "Numbers to add up", numbers}, {"avg", "Numbers to average", numbers},
		{"min", "Attributes whose lowest value is returned", ordered}, {"max", "Attributes whose highest value is returned", ordered},
	} {
		if len(f.of) > 0 {
			parameters = append(parameters, d.parameter(name+strings.ToUpper(f.function[:1])+f.function[1:], func() object {
				return inQuery(f.function, fmt.Sprintf("%s: %s, or one of a single component.", f.about, quotedNames(f.of)), arrayOf(typed("string")))
			}))
		}
	}
	return parameters
}

func quotedNames(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func groupOrder() object {
	return inQuery("sort", "The order of the groups: `count`, a path of `groupBy`, or a figure such as `sum.price`, each with `:asc` or `:desc` behind it."+
		" Without it the order is that of the values.", arrayOf(typed("string")))
}

// aggregateGroup is what a response has of one group. Sums and averages of bigintegers are
// text.
func aggregateGroup() value {
	mapped := func(types ...string) object {
		return typed("object").with(member{"additionalProperties", object{{"type", texts(types)}}})
	}
	return openObject(object{
		{"group", described(mapped("string", "number", "boolean", "null"), "The values that the entries share, by the paths of groupBy.")},
		{"count", typed("integer")},
		{"sum", mapped("number", "string", "null")}, {"avg", mapped("number", "string", "null")},
		{"min", mapped("string", "number", "null")}, {"max", mapped("string", "number", "null")},
	})
}
