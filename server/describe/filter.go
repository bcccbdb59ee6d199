package describe

import (
	"quire/schema"
)

// filters is the parameter that selects entries of a type.
func (d *document) filters(t *schema.Type) object {
	return d.parameter(d.names[t]+"Filters", func() object {
		return bracketParameter("filters", "Conditions that all have to hold: `filters[name][$contains]=x`, `filters[chef][name]=y`, `filters[$or][0][name]=z`.", d.filterOf(t))
	})
}

// filterOf is the schema of conditions on a type. Comparisons directly in conditions on
// a relation apply to the id.
func (d *document) filterOf(t *schema.Type) object {
	name := d.names[t] + "Filters"
	return d.define(name, func() any {
		properties := object{{"$and", arrayOf(schemaRef(name))}, {"$or", arrayOf(schemaRef(name))}, {"$not", schemaRef(name)}, {"id", d.comparison("Number")}}
		if !t.IsComponent() {
			properties = append(properties, member{"documentId", d.comparison("Text")})
		}
		scalars, populated := outputs(t)
		for _, a := range scalars {
			properties = append(properties, member{a.Name, d.comparison(comparedAs(a))})
		}
		for _, a := range populated {
			if of := targets(d.site, a); a.Kind != schema.DynamicZone && (a.Relation == nil || a.Relation.Target != nil) {
				properties = append(properties, member{a.Name, anyOf(d.filterOf(of[0]), d.comparison("Number"))})
			}
		}
		return object{{"type", "object"}, {"properties", properties}}
	})
}

// comparedAs is the family of values that an attribute is compared with.
func comparedAs(a *schema.Attribute) string {
	switch a.Kind {
	case schema.Integer, schema.Float, schema.Decimal:
		return "Number"
	case schema.Boolean:
		return "Boolean"
	}
	return "Text"
}

// comparison is the schema of conditions on plain values: a value, some values,
// or operators with theirs.
func (d *document) comparison(family string) object {
	name := family + "Comparison"
	return d.define(name, func() any {
		one := map[string]object{"Number": typed("number"), "Boolean": typed("boolean"), "Text": typed("string")}[family]
		some := anyOf(one, arrayOf(one))
		operators := object{{"$not", schemaRef(name)}, {"$null", typed("boolean")}, {"$notNull", typed("boolean")}}
		for _, operator := range []string{"$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$notIn"} {
			operators = append(operators, member{operator, some})
		}
		operators = append(operators, member{"$between", arrayOf(one)})
		if family == "Text" {
			for _, operator := range []string{
				"$eqi", "$nei", "$contains", "$notContains", "$containsi", "$notContainsi",
				"$startsWith", "$startsWithi", "$endsWith", "$endsWithi",
			} {
				operators = append(operators, member{operator, some})
			}
		}
		return anyOf(one, arrayOf(one), object{{"type", "object"}, {"properties", operators}})
	})
}
