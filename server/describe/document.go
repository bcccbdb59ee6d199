package describe

import (
	"maps"
	"slices"
	"strings"

	"quire/schema"
)

// Route is one operation of the API.
type Route struct {
	Method string // "GET"
	Path   string // as routers write it: "/api/dishes/:documentId", "/uploads/*name"

	Type *schema.Type // whose documents it serves; nil for built-in endpoints

	Permission string // that callers must hold; empty where everybody may call
	Public     bool   // callers without a credential hold it

	Handler string // of the project's own code, which answers the route; empty for the others
}

// Format is how answers about content look.
type Format uint8

const (
	V5 Format = iota // attributes beside the ids
	V4               // attributes wrapped, as the header Strapi-Response-Format asks for
)

// OpenAPI returns an OpenAPI 3.1 document of the routes, in their order, as
// compact JSON. It is the same for the same site and routes.
func OpenAPI(site *schema.Site, routes []Route, f Format) []byte {
	d := newDocument(site)
	d.legacy = f == V4
	paths, tags := d.paths(routes), tagList(routes)
	return appendJSON(nil, object{
		{"openapi", "3.1.0"},
		{"info", d.info()},
		{"servers", list{object{{"url", "/"}}}},
		{"tags", tags},
		{"paths", paths},
		{"components", object{
			{"schemas", sortedMembers(d.schemas)},
			{"parameters", sortedMembers(d.parameters)},
			{"responses", d.sharedResponses()},
			{"headers", headers},
			{"securitySchemes", object{{"bearer", bearer}}},
		}},
	})
}

// document is an OpenAPI document that is being made.
type document struct {
	site      *schema.Site
	names     map[*schema.Type]string
	versioned map[*schema.Type]bool
	legacy    bool // answers about content are in the previous format

	of   *schema.Type      // whose operation is being described; nil for built-in endpoints
	fill *strings.Replacer // for the words of builtin.api that depend on the site

	schemas, parameters map[string]any // by name; null while they are being made

	examples map[*schema.Type]object   // of bodies
	used     map[*schema.Attribute]int // how many values of unique attributes they have
}

func newDocument(site *schema.Site) *document {
	return &document{
		site: site, names: nameTypes(site), fill: fills(site), versioned: versionedTypes(site),
		schemas: map[string]any{}, parameters: map[string]any{},
		examples: map[*schema.Type]object{}, used: map[*schema.Attribute]int{},
	}
}

const infoText = "The content API of this site, as Strapi 5 serves it. Errors have one form everywhere. " +
	"GET operations answer HEAD too. A trailing slash makes no difference. Paths that are not described are 404, other methods 405; " +
	"so are publish, unpublish and discard-draft on types without draft & publish."

func (d *document) info() object {
	about := infoText
	if d.legacy {
		about += " This document describes the answers that the header `Strapi-Response-Format: v4` asks for."
	}
	return object{
		{"title", "Content API"},
		{"version", "5.0.0"},
		{"description", about},
	}
}

var bearer = object{
	{"type", "http"},
	{"scheme", "bearer"},
	{"description", "An API token, or the JWT of a user who has signed in."},
}

func sortedMembers(values map[string]any) object {
	var o object
	for _, name := range slices.Sorted(maps.Keys(values)) {
		o = append(o, member{name, values[name]})
	}
	return o
}

// define returns a reference to the schema of that name, and makes the schema the
// first time. A schema may refer to itself.
func (d *document) define(name string, make func() any) object {
	if _, known := d.schemas[name]; !known {
		d.schemas[name] = nil
		d.schemas[name] = make()
	}
	return schemaRef(name)
}

func schemaRef(name string) object {
	return object{{"$ref", "#/components/schemas/" + name}}
}

// paths describes the routes, those of one path together where the first of them is.
func (d *document) paths(routes []Route) object {
	var paths object
	for _, r := range routes {
		path := PathTemplate(r.Path)
		i := slices.IndexFunc(paths, func(m member) bool { return m.key == path })
		if i < 0 {
			i = len(paths)
			paths = append(paths, member{path, object{}})
		}
		operations := paths[i].value.(object)
		paths[i].value = operations.with(member{strings.ToLower(r.Method), d.operation(r)})
	}
	return paths
}

// PathTemplate writes the path of a route as OpenAPI does: "/api/dishes/{documentId}".
func PathTemplate(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := pathParameter(part); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

func pathParameter(part string) (name string, ok bool) {
	if part == "" || part[0] != ':' && part[0] != '*' {
		return "", false
	}
	return part[1:], true
}

// operationID names a route as Strapi does: "dish/get/dishes".
func operationID(r Route) string {
	var words []string
	for part := range strings.SplitSeq(strings.TrimPrefix(r.Path, "/api"), "/") {
		if name, ok := pathParameter(part); ok {
			part = "by_" + name
		}
		if part != "" {
			words = append(words, part)
		}
	}
	return tagOf(r) + "/" + strings.ToLower(r.Method) + "/" + strings.Join(words, "_")
}

// tagOf groups routes: by content type, by plugin, or those of the server itself.
func tagOf(r Route) string {
	if r.Handler != "" {
		return "code"
	}
	if r.Type != nil {
		return r.Type.Singular
	}
	uid, plugin := strings.CutPrefix(r.Permission, "plugin::")
	if !plugin {
		return "server"
	}
	name, _, _ := strings.Cut(uid, ".")
	return name
}

// tagList lists the groups: content types first, then those that every site has.
func tagList(routes []Route) list {
	var own, builtIn list
	seen := map[string]bool{}
	for _, r := range routes {
		tag := tagOf(r)
		switch {
		case seen[tag]:
		case r.Type != nil:
			own = append(own, object{{"name", tag}, {"description", oneLine(r.Type.Display)}})
		default:
			builtIn = append(builtIn, object{{"name", tag}, {"description", groupText(tag)}})
		}
		seen[tag] = true
	}
	return append(own, builtIn...)
}

func groupText(tag string) string {
	switch tag {
	case "server":
		return "The server"
	case "code":
		return "What the code of the project answers"
	case "i18n":
		return "Locales"
	case "upload":
		return "Files"
	case "users-permissions":
		return "Accounts and roles"
	case "quire":
		return "Releases, schedules, figures of the server, and this description"
	}
	return tag
}
