package describe

import (
	"slices"
	"strings"

	"quire/schema"
)

// failure is one way in which operations fail.
type failure struct {
	status   string
	name     string // of the response
	about    string
	details  object                       // of the error; nil for what errors have in general
	concerns func(Route, *operation) bool // besides the operations that name the status; nil for none
}

var failures = []failure{
	{"400", "Invalid", "The parameters or the body make no sense.", nil, func(r Route, o *operation) bool { return o.body != nil || len(o.parameters) > 0 || isConditional(r) }},
	{"401", "Unauthorized", "The credential is not valid.", nil, needsPermission},
	{"403", "Forbidden", "The caller does not hold the permission. Who may write drafts only reads which action publishing needs.", nil, needsPermission},
	{"404", "NotFound", "There is no such thing, or no such version of it.", nil, func(r Route, _ *operation) bool { return maybeMissing(r) }},
	{"409", "Overtaken", "Somebody else has changed or done it meanwhile.", nil, nil},
	{"410", "Gone", "The version can no longer be read, or a copy or a stream cannot go on from there.", nil, nil},
	{"412", "Changed", "The document has changed since it was read, or is not there. `details` has its version now and, as far as that is known, the paths that have changed.", changeDetails, func(r Route, _ *operation) bool { return isConditional(r) }},
	{"default", "Failure", "Anything else that keeps the request from being carried out.", nil, needsPermission},
}

// failsWith reports whether an operation can fail in a way.
func (o *operation) failsWith(f *failure, r Route) bool {
	return slices.Contains(o.fails, f.status) || f.concerns != nil && f.concerns(r, o)
}

// needsPermission reports whether a route is for some callers alone.
func needsPermission(r Route, _ *operation) bool { return r.Permission != "" || isOpen(r) }

// isCopy reports whether a route is that of those who keep a copy.
func isCopy(r Route) bool { return r.Path == "/api/_changes" }

func isBatch(r Route) bool { return r.Path == "/api/_batch" }

// maybeMissing reports whether a route can answer 404. Deleting a document that does
// not exist is no error, as in Strapi.
func maybeMissing(r Route) bool {
	if r.Type == nil {
		return strings.ContainsAny(r.Path, ":*") || isBatch(r)
	}
	return r.Action == schema.ReadHistory ||
		r.Method == "POST" && r.Action != schema.Create ||
		r.Method == "DELETE" && r.Action != schema.Delete ||
		r.Method == "GET" && r.Action == schema.FindOne ||
		r.Method == "GET" && r.Type.Kind == schema.Single ||
		r.Method == "PUT" && r.Type.Kind == schema.Collection
}

// sharedResponses are those that several operations have.
func sharedResponses() object {
	responses := object{{"NotModified", object{
		{"description", text("The client has the answer already.")},
		{"headers", object{{"ETag", headerRef("Tag")}}},
	}}}
	for _, f := range failures {
		responses = append(responses, member{f.name, object{
			{"description", text(f.about)},
			{"content", jsonContent(errorOf(f.details))},
		}})
	}
	return responses
}

// errorSchema is the form of every error.
var errorSchema = errorOf(nil)

// errorOf is the form of errors whose details have these members besides what all may have.
func errorOf(details object) object {
	if details == nil {
		details = anyDetails
	}
	return closedObject(object{
		{"data", object{{"type", text("null")}}},
		{"error", closedObject(object{
			{"status", object{{"type", text("integer")}}},
			{"name", typed("string").with(member{"examples", list{text("ValidationError")}})},
			{"message", typed("string")},
			{"details", object{{"type", text("object")}, {"properties", append(object{ofRequest}, details...)}}},
		})},
	})
}

// ofRequest is in the details of every error of a batch.
var ofRequest = member{"request", described(typed("integer"), "Of a batch: the request at fault, from 0 on.")}

// anyDetails are those of errors that are about values and keys.
var anyDetails = object{
	{"key", typed("string")},
	{"path", object{{"type", texts([]string{"string", "null"})}}},
	{"source", typed("string")},
	{"param", typed("string")},
	{"id", described(typed("string"), "Of a 500: by it the log knows the request.")},
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
}

// changeDetails are those of a 412.
var changeDetails = object{
	{"version", described(typed("integer"), "That of the document now, for `If-Match`; left out where there is none that the caller may see.")},
	{"paths", described(arrayOf(typed("string")), "What has changed since the version that the request named, such as `sections[0].title`; left out where that is not known.")},
}
