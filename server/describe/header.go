package describe

import (
	"strings"

	"quire/schema"
)

// Headers say which version of a document an answer is about, and for which one a
// write is made.

// headers are those of the answers that have them, by the names of their components.
var headers = object{
	{"Version", object{
		{"description", text("The version of the document, a number that grows with each write that changes it.")},
		{"schema", typed("integer")},
	}},
	{"Tag", object{
		{"description", text("Names the answer, for `If-None-Match`. Of one document without `populate` it begins with the version, and does for `If-Match`.")},
		{"schema", typed("string")},
	}},
	{"Omitted", object{
		{"description", text("What is left out of an answer that would be too large: `populate`, or `populate, fields`. The write is done.")},
		{"schema", typed("string")},
	}},
}

// headerNames are the headers of answers, and the components that describe them.
var headerNames = []struct {
	name, component string
	shown           func(Route, answer) bool
}{
	{"Quire-Version", "Version", showsVersion},
	{"ETag", "Tag", hasTag},
	{"X-Quire-Omitted", "Omitted", mayOmit},
}

// headersOf describes the headers of an answer; nil where it has none.
func headersOf(r Route, a answer) (shown object) {
	for _, h := range headerNames {
		if h.shown(r, a) {
			shown = append(shown, member{h.name, headerRef(h.component)})
		}
	}
	return shown
}

func headerRef(name string) object {
	return object{{"$ref", text("#/components/headers/" + name)}}
}

// hasTag reports whether an answer has a tag: those to GET with JSON in them do.
func hasTag(r Route, a answer) bool {
	return r.Method == "GET" && a.status == 200 && len(a.content) == 1 && a.content[0].key == "application/json"
}

// showsVersion reports whether an answer is one document, and not what a delete
// or a schedule is answered with.
func showsVersion(r Route, a answer) bool {
	if r.Type == nil || a.status > 201 || isLinks(r) {
		return false
	}
	return isConditional(r) || r.Action == schema.Create || r.Action == schema.FindOne || r.Action == schema.Find && r.Type.Kind == schema.Single
}

// mayOmit reports whether an answer is that to a write of content.
func mayOmit(r Route, a answer) bool {
	return r.Method != "GET" && (a.status == 200 || a.status == 201) && r.Type != nil && r.Action != schema.PreviewLink
}

// isConditional reports whether a route takes If-Match.
func isConditional(r Route) bool {
	switch {
	case r.Type == nil, r.Action == schema.PreviewLink:
		return false
	case r.Method == "PUT", strings.Contains(r.Path, "/actions/"), strings.HasSuffix(r.Path, "/restore"):
		return true
	}
	return r.Method == "DELETE" && r.Action == schema.Delete
}

// conditions are the parameters by which a request says what the client has.
func (d *document) conditions(r Route, o *operation) (l list) {
	if isConditional(r) {
		l = append(l, d.parameter("ifMatch", ifMatch))
	}
	if r.Type != nil && r.Method == "PUT" && r.Type.Kind == schema.Single {
		l = append(l, d.parameter("ifNoneMatch", ifNoneMatch))
	}
	if o.hasTag(r) {
		l = append(l, d.parameter("held", held))
	}
	return l
}

func (o *operation) hasTag(r Route) bool { return hasTag(r, o.answers[0]) }

func ifMatch() object {
	return inHeader("If-Match", "Does it only if the document is still of this version: its `Quire-Version` or `ETag`, several with commas between them, or `*` for any.", typed("string"))
}

func ifNoneMatch() object {
	return inHeader("If-None-Match", "`*` creates the document and changes none.", constant("*"))
}

func held() object {
	return inHeader("If-None-Match", "The `ETag` of an answer that the client has, several with commas between them, or `*`: 304 says that it still is the answer.", typed("string"))
}

func inHeader(name, about string, s object) object {
	return object{{"name", text(name)}, {"in", text("header")}, {"description", text(about)}, {"schema", s}}
}
