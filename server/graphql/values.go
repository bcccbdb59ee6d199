package graphql

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"golang.org/x/text/language"

	"quire/schema"
)

// faults returns why a value does not have a type, in the words of graphql-js. It looks
// only at the value itself, not at the values in it. literal is set for values in the text
// of the query: those of variables come in JSON, which has fewer kinds.
func (s *Schema) faults(d *ast.Definition, v *ast.Value, literal bool) []string {
	fault := ""
	switch d.Kind {
	case ast.InputObject:
		return checkObject(d, v)
	case ast.Enum:
		fault = checkEnum(d, v, literal)
	case ast.Scalar:
		fault = s.checkScalar(d, v, literal)
	}
	if fault == "" {
		return nil
	}
	return []string{fault}
}

func checkObject(d *ast.Definition, v *ast.Value) (faults []string) {
	if v.Kind != ast.ObjectValue {
		return []string{fmt.Sprintf(`Expected type "%s" to be an object.`, d.Name)}
	}
	for _, child := range v.Children {
		if d.Fields.ForName(child.Name) == nil {
			faults = append(faults, fmt.Sprintf(`Field "%s" is not defined by type "%s".`, shorten(child.Name), d.Name))
		}
		if len(faults) == mostErrors {
			return faults
		}
	}
	for _, f := range d.Fields {
		if f.Type.NonNull && f.DefaultValue == nil && v.Children.ForName(f.Name) == nil {
			faults = append(faults, missingMember(f))
		}
	}
	return faults
}

func missingMember(f *ast.FieldDefinition) string {
	return fmt.Sprintf(`Field "%s" of required type "%s" was not provided.`, f.Name, f.Type)
}

func checkEnum(d *ast.Definition, v *ast.Value, literal bool) string {
	switch named := v.Kind == ast.EnumValue; {
	case named != literal, !named && v.Kind != ast.StringValue:
		return fmt.Sprintf(`Enum "%s" cannot represent value: %s.`, d.Name, inspect(v))
	case d.EnumValues.ForName(v.Raw) == nil:
		return fmt.Sprintf(`Value "%s" does not exist in "%s" enum.`, shorten(v.Raw), d.Name)
	}
	return ""
}

func (s *Schema) checkScalar(d *ast.Definition, v *ast.Value, literal bool) string {
	if s.zoneItems[d.Name] {
		return s.checkZoneItem(d, v)
	}
	text := v.Kind == ast.StringValue || v.Kind == ast.BlockValue
	number := v.Kind == ast.IntValue || v.Kind == ast.FloatValue
	switch d.Name {
	case "Int":
		return checkInt(v, number && (!literal || v.Kind == ast.IntValue))
	case "Float":
		if f, err := strconv.ParseFloat(v.Raw, 64); !number || err != nil || math.IsInf(f, 0) {
			return "Float cannot represent non numeric value: " + inspect(v)
		}
	case "String":
		if !text {
			return "String cannot represent a non string value: " + inspect(v)
		}
	case "Boolean":
		if v.Kind != ast.BooleanValue {
			return "Boolean cannot represent a non boolean value: " + inspect(v)
		}
	case "ID":
		if !text && !isWhole(v, number) {
			return "ID cannot represent value: " + inspect(v)
		}
	case "Long":
		if _, whole := new(big.Int).SetString(strings.TrimSpace(v.Raw), 10); !whole || !text && !number {
			return "BigInt cannot represent value: " + inspect(v)
		}
	case "Date", "Time", "DateTime":
		return checkMoment(d.Name, v, text, literal)
	case "I18NLocaleCode":
		return checkLocale(v, literal)
	}
	return ""
}

func checkInt(v *ast.Value, number bool) string {
	switch f, err := strconv.ParseFloat(v.Raw, 64); {
	case !number || err != nil || f != math.Trunc(f):
		return "Int cannot represent non-integer value: " + inspect(v)
	case f < math.MinInt32 || f > math.MaxInt32:
		return "Int cannot represent non 32-bit signed integer value: " + inspect(v)
	}
	return ""
}

// dateTime is the form of RFC 3339.
var dateTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`)

func checkMoment(name string, v *ast.Value, text, literal bool) string {
	switch {
	case !text:
		return name + " cannot represent non string type " + inspect(v)
	case name == "Date":
		if _, err := schema.ParseDate(v.Raw); err != nil || len(v.Raw) != len("2006-01-02") {
			return "Date cannot represent an invalid date-string " + shorten(v.Raw) + "."
		}
	case name == "DateTime":
		if _, err := schema.ParseDateTime(v.Raw); err != nil || !dateTime.MatchString(v.Raw) {
			return "DateTime cannot represent an invalid date-time-string " + shorten(v.Raw) + "."
		}
	default:
		_, err := schema.ParseTime(v.Raw)
		switch {
		case err != nil && literal:
			return fmt.Sprintf(`Expected value of type "Time", found %s; Invalid time format, expected HH:mm:ss.SSS`, inspect(v))
		case err != nil:
			return `Expected type "Time". Invalid time format, expected HH:mm:ss.SSS`
		}
	}
	return ""
}

// isWhole reports whether a number has no fraction.
func isWhole(v *ast.Value, number bool) bool {
	f, err := strconv.ParseFloat(v.Raw, 64)
	return number && err == nil && f == math.Trunc(f)
}

// checkLocale checks the code of a locale. As in Strapi, one in a variable can be any text.
func checkLocale(v *ast.Value, literal bool) string {
	if v.Kind != ast.StringValue && v.Kind != ast.BlockValue {
		return "Locale cannot represent non string type"
	}
	if _, err := language.Parse(v.Raw); literal && v.Raw != "*" && err != nil {
		return "Unknown locale supplied"
	}
	return ""
}

// checkZoneItem checks an item of a dynamic zone, which names its component as __typename.
func (s *Schema) checkZoneItem(d *ast.Definition, v *ast.Value) string {
	if v.Kind != ast.ObjectValue {
		return d.Name + " cannot represent value: " + inspect(v)
	}
	name := v.Children.ForName("__typename")
	if name == nil || name.Kind != ast.Variable && (s.types[name.Raw] == nil || !s.types[name.Raw].IsComponent()) {
		return "Component not found. __typename names one of the components of the dynamic zone"
	}
	return ""
}

// inspect writes a value for a message.
func inspect(v *ast.Value) string { return shorten(v.String()) }

// longest is the maximum length of a value in a message, in bytes.
const longest = 120

func shorten(text string) string {
	if len(text) <= longest {
		return text
	}
	end := longest
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
