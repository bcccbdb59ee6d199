package admin

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"time"
	"unicode"
)

// schemaBuilder makes JSON schemas of the Go types that the API reads and writes. Named types
// become named schemas, and are used by reference.
type schemaBuilder struct{ known node }

// of returns the schema of a value in a response: all members are present except those that
// are omitted when empty.
func (b *schemaBuilder) of(value any) any { return b.schema(reflect.TypeOf(value)) }

// form returns the schema of the body of a request, which may omit what it does not change.
func (b *schemaBuilder) form(value any) any {
	t := reflect.TypeOf(value)
	if t.Kind() != reflect.Struct {
		return b.schema(t)
	}
	s := b.object(t)
	delete(s, "required")
	return s
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	byteType = reflect.TypeFor[[]byte]()
)

func (b *schemaBuilder) schema(t reflect.Type) any {
	switch {
	case t == timeType:
		return node{"type": "string", "format": "date-time"}
	case t == rawType:
		return node{}
	case t == byteType:
		return node{"type": "string", "contentEncoding": "base64"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(b.schema(t.Elem()))
	case reflect.Slice:
		return node{"type": "array", "items": b.schema(t.Elem())}
	case reflect.Map:
		return node{"type": "object", "additionalProperties": b.schema(t.Elem())}
	case reflect.String:
		return node{"type": "string"}
	case reflect.Bool:
		return node{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return node{"type": "integer"}
	case reflect.Struct:
		if t.Name() == "" {
			return b.object(t)
		}
		name := []rune(strings.TrimSuffix(t.Name(), "Of"))
		name[0] = unicode.ToUpper(name[0])
		if key := string(name); b.known[key] == nil {
			b.known[key] = node{}
			b.known[key] = b.object(t)
		}
		return node{"$ref": "#/components/schemas/" + string(name)}
	}
	return node{} // any value
}

func nullable(schema any) any { return node{"anyOf": []any{schema, node{"type": "null"}}} }

// object returns the schema of a struct, including the members of embedded structs.
func (b *schemaBuilder) object(t reflect.Type) node {
	properties, required := node{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			embedded := b.object(inner)
			maps.Copy(properties, embedded["properties"].(node))
			required = append(required, embedded["required"].([]string)...)
			continue
		case !f.IsExported() || name == "-" || name == "":
			continue
		}
		properties[name] = b.schema(f.Type)
		if name == "locales" && f.Type == reflect.TypeFor[[]string]() {
			properties[name] = nullable(properties[name]) // null is a value of every member
		}
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	return node{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
