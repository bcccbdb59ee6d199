package describe

import (
	"slices"
	"strconv"
	"strings"
)

// operation is what an endpoint takes and answers.
type operation struct {
	summary    string // in a few words
	about      string // more, if there is
	parameters list   // besides those in the path
	body       any    // nil where there is none
	answers    []answer
	fails      []string // statuses of failures that do not follow from the rest
	isOpen     bool     // without a permission of its own, while what it does needs those of the types that it is about
	showsOne   bool     // it answers with one document, and says which version that is
}

// answer is one way in which an operation succeeds.
type answer struct {
	status  int
	about   string
	content object // by media type; nil without a body
}

// operation is one route with what goes in and what comes out.
func (d *document) operation(r Route) object {
	o := d.read(r)
	described := object{
		{"operationId", operationID(r)},
		{"tags", list{tagOf(r)}},
		{"summary", o.summary},
	}
	if r.Permission != "" {
		o.about = strings.TrimSpace(o.about + " Needs the permission `" + r.Permission + "`.")
	}
	if o.about != "" {
		described = append(described, member{"description", o.about})
	}
	if o.body != nil || len(o.parameters) > 0 {
		o.fails = append(o.fails, "400")
	}
	o.parameters = append(pathParameters(r), o.parameters...)
	if hasTag(r, o.answers[0]) {
		o.parameters = append(o.parameters, d.sharedParameters("held")...)
	}
	if len(o.parameters) > 0 {
		described = append(described, member{"parameters", o.parameters})
	}
	if o.body != nil {
		described = append(described, member{"requestBody", o.body})
	}
	return described.with(
		member{"responses", o.responses(r)},
		member{"security", o.security(r)},
	)
}

// read returns the operation of builtin.api that a route has. One without gets what its
// route says.
func (d *document) read(r Route) (o operation) {
	if r.Handler != "" {
		return codedOperation(r)
	}
	path, fill := PathTemplate(r.Path), strings.NewReplacer()
	key := r.Method + " " + path
	for _, p := range d.site.Settings.Accounts.Providers {
		if strings.HasPrefix(path, "/api/connect/"+p.Name) || path == "/api/auth/"+p.Name+"/callback" {
			key, fill = strings.Replace(key, "/"+p.Name, "/$provider", 1), strings.NewReplacer("$provider", p.Name)
		}
	}
	d.of = r.Type
	if r.Type != nil {
		key, fill = keyOf(r), wordsOf(r.Type)
	}
	for _, line := range builtin()[key] {
		d.readLine(&o, fill.Replace(line))
	}
	if o.summary != "" {
		return o
	}
	o = operation{summary: r.Method + " " + r.Path, answers: []answer{{200, usualText[200], jsonContent(object{})}}}
	if r.Method == "POST" || r.Method == "PUT" {
		o.body = object{{"content", jsonContent(object{})}}
	}
	if strings.Contains(path, "{") {
		o.fails = []string{"404"}
	}
	return o
}

// readLine reads a line of an operation.
func (d *document) readLine(o *operation, line string) {
	word, rest, more := strings.Cut(line, " ")
	status, err := strconv.Atoi(word)
	switch {
	case word == "if":
		if condition, line, _ := strings.Cut(rest, ": "); d.holds(condition) {
			d.readLine(o, line)
		}
	case word == ":":
		o.about = strings.TrimSpace(o.about + " " + rest)
	case word == "query", word == "deep":
		o.parameters = append(o.parameters, d.parameterIn(line))
	case word == "with":
		o.parameters = append(o.parameters, d.sharedParameters(strings.Fields(rest)...)...)
	case word == "body":
		o.body = object{{"required", true}, {"content", d.content(rest)}}
	case word == "body?":
		o.body = object{{"required", false}, {"content", d.content(rest)}}
	case line == "open":
		o.isOpen = true
	case line == "version":
		o.showsOne = true
	case err == nil && status >= 400 && !more:
		o.fails = append(o.fails, word)
	case err == nil:
		o.answers = append(o.answers, d.answer(status, rest))
	default:
		o.summary = line
	}
}

// usualText is what answers of a status are called that are called nothing else.
var usualText = map[int]string{200: "What was asked for.", 201: "What is new.", 204: "Done; there is nothing to show."}

// answer reads an answer: "The file. -> File". Both parts may be missing.
func (d *document) answer(status int, text string) answer {
	about, shown, has := strings.Cut(text, "-> ")
	a := answer{status: status, about: strings.TrimSpace(about)}
	if a.about == "" {
		a.about = usualText[status]
	}
	if has {
		a.content = d.content(shown)
	}
	return a
}

// content reads the content of a body or an answer: a schema of JSON, "text/plain: string",
// or media types alone.
func (d *document) content(text string) (content object) {
	media, s, has := strings.Cut(text, ": ")
	switch {
	case text == "newEntry", text == "changedEntry":
		return d.entryContent(d.of, text == "newEntry")
	case strings.ContainsAny(media, "{[") || !strings.Contains(media, "/"):
		return jsonContent(d.schema(text))
	case has:
		return object{{media, object{{"schema", d.schema(s)}}}}
	}
	for media := range strings.SplitSeq(media, ", ") {
		content = append(content, member{media, object{}})
	}
	return content
}

// jsonContent is the content of a JSON body.
func jsonContent(s any) object {
	return object{{"application/json", object{{"schema", s}}}}
}

func pathParameters(r Route) list {
	var parameters list
	for part := range strings.SplitSeq(r.Path, "/") {
		if name, ok := pathParameter(part); ok {
			parameters = append(parameters, object{
				{"name", name},
				{"in", "path"},
				{"required", true},
				{"schema", typed("string")},
			})
		}
	}
	return parameters
}

func (o *operation) security(r Route) list {
	credential := object{{"bearer", list{}}}
	switch {
	case r.Public, o.isOpen:
		return list{object{}, credential}
	case r.Permission == "":
		return list{}
	}
	return list{credential}
}

func (o *operation) responses(r Route) object {
	var responses object
	for _, a := range o.answers {
		described := object{{"description", a.about}}
		if shown := o.headers(r, a); shown != nil {
			described = append(described, member{"headers", shown})
		}
		if a.content != nil {
			described = append(described, member{"content", a.content})
		}
		responses = append(responses, member{strconv.Itoa(a.status), described})
	}
	if hasTag(r, o.answers[0]) {
		responses = append(responses, member{"304", object{{"$ref", "#/components/responses/NotModified"}}})
	}
	for _, f := range failures {
		if slices.ContainsFunc(o.answers, func(a answer) bool { return strconv.Itoa(a.status) == f.status }) {
			continue // its own description says more
		}
		if f.isUsual && (r.Permission != "" || o.isOpen) || slices.Contains(o.fails, f.status) {
			responses = append(responses, member{f.status, object{{"$ref", "#/components/responses/" + f.name}}})
		}
	}
	return responses
}

// headers are those of an answer; nil where it has none.
func (o *operation) headers(r Route, a answer) (shown object) {
	ref := func(name, component string) member {
		return member{name, object{{"$ref", "#/components/headers/" + component}}}
	}
	showsOne := o.showsOne && a.status <= 201
	if showsOne {
		shown = append(shown, ref("Quire-Version", "Version"))
	}
	if hasTag(r, a) {
		shown = append(shown, ref("ETag", "Tag"))
	}
	if showsOne && r.Method != "GET" {
		shown = append(shown, ref("X-Quire-Omitted", "Omitted"))
	}
	return shown
}

// hasTag reports whether an answer has a tag: those to GET with JSON in them do.
func hasTag(r Route, a answer) bool {
	return r.Method == "GET" && a.status == 200 && len(a.content) == 1 && a.content[0].key == "application/json"
}
