package describe

import (
	"slices"
	"strconv"
	"strings"
)

// operation is one route with what goes in and what comes out.
func (d *document) operation(r Route) object {
	o := d.describeRoute(r)
	described := object{
		{"operationId", text(operationID(r))},
		{"tags", list{text(tagOf(r))}},
		{"summary", text(o.summary)},
	}
	if about := o.description(r); about != "" {
		described = append(described, member{"description", text(about)})
	}
	if parameters := slices.Concat(pathParameters(r), o.parameters, d.conditions(r, &o)); len(parameters) > 0 {
		described = append(described, member{"parameters", parameters})
	}
	if o.body != nil {
		described = append(described, member{"requestBody", o.body})
	}
	return described.with(
		member{"responses", o.responses(r)},
		member{"security", security(r)},
	)
}

// operation is what an endpoint takes and answers.
type operation struct {
	summary    string // in a few words
	about      string // more, if there is
	parameters list   // besides those in the path
	body       value  // nil where there is none
	answers    []answer
	fails      []string // statuses of failures besides those that follow from the route
}

// answer is one way in which an operation succeeds.
type answer struct {
	status  int
	about   string
	content object // by media type; nil without a body
}

func (o *operation) description(r Route) string {
	if r.Permission == "" {
		return o.about
	}
	return strings.TrimSpace(o.about + " Needs the permission `" + r.Permission + "`.")
}

func (o *operation) responses(r Route) object {
	var responses object
	for _, a := range o.answers {
		described := object{{"description", text(a.about)}}
		if shown := headersOf(r, a); shown != nil {
			described = append(described, member{"headers", shown})
		}
		if a.content != nil {
			described = append(described, member{"content", a.content})
		}
		responses = append(responses, member{strconv.Itoa(a.status), described})
	}
	if o.hasTag(r) {
		responses = append(responses, member{"304", object{{"$ref", text("#/components/responses/NotModified")}}})
	}
	for _, e := range failures {
		if o.failsWith(&e, r) {
			responses = append(responses, member{e.status, object{{"$ref", text("#/components/responses/" + e.name)}}})
		}
	}
	return responses
}

// jsonContent is the content of a JSON body.
func jsonContent(s value) object {
	return object{{"application/json", object{{"schema", s}}}}
}

// jsonExample is jsonContent with an example, unless there is none.
func jsonExample(s value, example object) object {
	if example == nil {
		return jsonContent(s)
	}
	return object{{"application/json", object{{"schema", s}, {"example", example}}}}
}

func answerFound(s value) answer   { return answer{200, "What was asked for.", jsonContent(s)} }
func answerWritten(s value) answer { return answer{200, "What has been written.", jsonContent(s)} }
func answerCreated(s value) answer { return answer{201, "What is new.", jsonContent(s)} }
func answerEmpty() answer          { return answer{204, "Done; there is nothing to show.", nil} }

func pathParameters(r Route) list {
	var parameters list
	for part := range strings.SplitSeq(r.Path, "/") {
		if name, ok := pathParameter(part); ok {
			parameters = append(parameters, object{
				{"name", text(name)},
				{"in", text("path")},
				{"required", flag(true)},
				{"schema", object{{"type", text("string")}}},
			})
		}
	}
	return parameters
}

func security(r Route) list {
	credential := object{{"bearer", list{}}}
	switch {
	case r.Public, isOpen(r):
		return list{object{}, credential}
	case r.Permission == "":
		return list{}
	}
	return list{credential}
}
