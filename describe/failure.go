package describe

import (
	"strings"

	"quire/schema"
)

// failure is one way in which operations fail.
type failure struct {
	status   string
	name     string // of the response
	about    string
	concerns func(Route, *operation) bool
}

var failures = []failure{
	{"400", "Invalid", "The parameters or the body make no sense.", func(r Route, o *operation) bool { return o.body != nil || len(o.parameters) > 0 }},
	{"401", "Unauthorized", "The credential is not valid.", needsPermission},
	{"403", "Forbidden", "The caller does not hold the permission. Who may write drafts only reads which action publishing needs.", needsPermission},
	{"404", "NotFound", "There is no such thing, or no such version of it.", func(r Route, _ *operation) bool { return maybeMissing(r) }},
	{"412", "Changed", "The document has changed since it was read, or is not there.", func(r Route, _ *operation) bool { return isConditional(r) }},
	{"default", "Failure", "Anything else that keeps the request from being carried out.", needsPermission},
}

func needsPermission(r Route, _ *operation) bool { return r.Permission != "" }

// isConditional reports whether a route takes If-Match.
func isConditional(r Route) bool {
	return r.Type != nil && (r.Method == "PUT" || r.Method == "DELETE" && r.Action == schema.Delete || strings.Contains(r.Path, "/actions/"))
}

// maybeMissing reports whether a route can answer 404. Deleting a document that does
// not exist is no error, as in Strapi.
func maybeMissing(r Route) bool {
	if r.Type == nil {
		return strings.ContainsAny(r.Path, ":*")
	}
	return r.Method == "POST" && r.Action != schema.Create ||
		r.Method == "DELETE" && r.Action != schema.Delete ||
		r.Method == "GET" && r.Action == schema.FindOne ||
		r.Method == "GET" && r.Type.Kind == schema.Single ||
		r.Method == "PUT" && r.Type.Kind == schema.Collection
}

func errorResponses() object {
	var responses object
	for _, f := range failures {
		responses = append(responses, member{f.name, object{
			{"description", text(f.about)},
			{"content", jsonContent(errorSchema)},
		}})
	}
	return responses
}

// errorSchema is the form of every error.
var errorSchema = closedObject(object{
	{"data", object{{"type", text("null")}}},
	{"error", closedObject(object{
		{"status", object{{"type", text("integer")}}},
		{"name", typed("string").with(member{"examples", list{text("ValidationError")}})},
		{"message", typed("string")},
		{"details", object{
			{"type", text("object")},
			{"properties", object{
				{"key", typed("string")},
				{"path", object{{"type", texts([]string{"string", "null"})}}},
				{"source", typed("string")},
				{"param", typed("string")},
				{"id", typed("string")},
				{"version", typed("integer")},
				{"request", typed("integer")},
				{"errors", arrayOf(object{
					{"type", text("object")},
					{"properties", object{
						{"path", arrayOf(typed("string"))},
						{"message", typed("string")},
						{"name", typed("string")},
						{"value", object{}},
					}},
					{"required", texts([]string{"path", "message", "name"})},
				})},
			}},
		}},
	})},
})
