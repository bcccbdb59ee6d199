package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"quire/test/replay"
)

// lenient are the steps whose bodies are accepted although the description does not
// allow it: numbers and booleans as texts, dates in other forms, nulls among links, and
// publishedAt and locale, which have no effect in a body.
var lenient = map[string][]int{
	"02-validation":    {20, 28, 33, 45, 46, 48, 49, 61, 78, 80, 127, 128, 130, 131},
	"06-status":        {25},
	"08-relations":     {75, 79},
	"15-inverse":       {170},
	"16-random-writes": {37, 68, 83, 146, 170, 209, 474, 480},
}

// Every response to a recorded request fits the description of its format, and so does
// every accepted body.
func TestRecordedAnswersFitTheDescription(t *testing.T) {
	for _, name := range replay.Suites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, tokens := openSiteIn(t, folderOfSuite(t, name))
			s := replaying(h, tokens)
			promises := map[string]*promise{}
			for _, format := range []string{"v4", "v5"} {
				promises[format] = readPromise(t, fetch(h, "/api/openapi.json", tokens["full"], format).Body.Bytes())
			}
			for number, step := range readSuite(t, name) {
				p := promises["v5"]
				if format, ok := step.Headers["Strapi-Response-Format"].(string); ok {
					p = promises[format]
				}
				if err := p.verify(s, step, slices.Contains(lenient[name], number)); err != nil {
					t.Errorf("#%d %s %s: %v", number, step.Method, step.Path, err)
				}
			}
		})
	}
}

// verify sends a step, and compares its body and the response with the description.
func (p *promise) verify(s *replay.Session, step replay.Step, lenient bool) error {
	operation, err := p.operation(step.Method, step.Path)
	if err != nil {
		return err
	}
	body, err := bodyOf(s, step)
	if err != nil {
		return err
	}
	status, got, err := s.Send(step)
	if err != nil {
		return err
	}
	s.Keep(step.Save, got)
	if operation == nil {
		if status != 404 && status != 405 {
			return fmt.Errorf("it is answered %d and not described", status)
		}
		return nil
	}
	if status < 300 && body != nil {
		err := p.takes(operation, body)
		if (err != nil) != lenient {
			return fmt.Errorf("the body %s: %w", replay.Short(body), missed(err))
		}
	}
	return errors.Join(p.answers(operation, status, got), p.announces(operation, status, s.Header))
}

// missed returns the reason why a body does not fit, or an error if it fits although it
// is an exception.
func missed(err error) error {
	if err == nil {
		return errors.New("is promised now; take the step from the list of exceptions")
	}
	return err
}

// bodyOf returns the JSON that a step sends; nil for none.
func bodyOf(s *replay.Session, step replay.Step) (any, error) {
	if step.Body == nil {
		return nil, nil
	}
	var body any
	if err := replay.Decode(step.Body, &body); err != nil {
		return nil, err
	}
	return s.Fill(body)
}

// promise is a document whose schemas can be compared with values.
type promise struct {
	document any
	compiled map[string]*jsonschema.Schema
}

func readPromise(t *testing.T, document []byte) *promise {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	check(t, err)
	return &promise{parsed, map[string]*jsonschema.Schema{}}
}

// at follows keys into the document. It returns nil if there is no such place.
func (p *promise) at(place []string) any {
	value := p.document
	for _, key := range place {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// operation returns the place of the operation of a request; nil if it is not
// described.
func (p *promise) operation(method, path string) ([]string, error) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(strings.TrimRight(path, "/"), "/")
	paths, ok := p.at([]string{"paths"}).(map[string]any)
	if !ok {
		return nil, errors.New("the document has no paths")
	}
	best := ""
	for template := range paths {
		if isFor(strings.Split(template, "/"), parts) && (best == "" || strings.Count(best, "{") > strings.Count(template, "{")) {
			best = template
		}
	}
	place := []string{"paths", best, strings.ToLower(method)}
	if best == "" || p.at(place) == nil {
		return nil, nil
	}
	return place, nil
}

// isFor reports whether a template matches a path. The template of files matches
// everything below it.
func isFor(template, path []string) bool {
	if len(template) != len(path) && !(template[1] == "uploads" && len(path) > len(template)) {
		return false
	}
	for i, part := range template {
		if part != path[i] && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return true
}

// takes compares a body with the document.
func (p *promise) takes(operation []string, body any) error {
	return p.fits(below(operation, "requestBody", "content", "application/json", "schema"), body)
}

// answers compares a response with the document.
func (p *promise) answers(operation []string, status int, body any) error {
	place, answer := p.response(operation, status)
	if answer == nil {
		return fmt.Errorf("the answer %d is not described", status)
	}
	if answer["content"] == nil && body == nil {
		return nil
	}
	if err := p.fits(below(place, "content", "application/json", "schema"), body); err != nil {
		return fmt.Errorf("the answer %d: %w", status, err)
	}
	return nil
}

// response returns the place of the response with that status, and its description.
func (p *promise) response(operation []string, status int) ([]string, map[string]any) {
	place := below(operation, "responses", fmt.Sprint(status))
	if p.at(place) == nil && status >= 400 {
		place = below(operation, "responses", "default")
	}
	answer, _ := p.at(place).(map[string]any)
	if reference, ok := answer["$ref"].(string); ok {
		place = strings.Split(strings.TrimPrefix(reference, "#/"), "/")
		answer, _ = p.at(place).(map[string]any)
	}
	return place, answer
}

// announced are the response headers that the description has.
var announced = []string{"ETag", "Quire-Version", "X-Quire-Omitted"}

// announces compares the headers of a response with the document.
func (p *promise) announces(operation []string, status int, sent http.Header) error {
	if status >= 300 {
		return nil
	}
	_, answer := p.response(operation, status)
	described, _ := answer["headers"].(map[string]any)
	for _, name := range announced {
		if sent.Get(name) != "" && described[name] == nil {
			return fmt.Errorf("the header %s of the answer %d is not described", name, status)
		}
	}
	return nil
}

func below(place []string, keys ...string) []string { return slices.Concat(place, keys) }

// fits compares a value with the schema at a place of the document.
func (p *promise) fits(place []string, value any) error {
	pointer := ""
	for _, key := range place {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	if p.compiled[pointer] == nil {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("api:description", p.document); err != nil {
			return err
		}
		var err error
		if p.compiled[pointer], err = c.Compile("api:description#" + pointer); err != nil {
			return err
		}
	}
	return p.compiled[pointer].Validate(value)
}

// A description that allows everything would hide faults; this one refuses what is
// wrong.
func TestPromiseCanBeBroken(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	p := readPromise(t, fetch(h, "/api/openapi.json", tokens["full"], "").Body.Bytes())
	operation := []string{"paths", "/api/dishes", "post"}
	for body, fits := range map[string]bool{
		`{"data": {"name": "Soup"}}`:                                   true,
		`{"data": {"name": "Soup", "price": null, "allergens": null}}`: true,
		`{"data": {"name": "Soup", "photo": {"connect": [1, "abc"]}}}`: true,
		`{"name": "Soup"}`:                                                false,
		`{"data": {"name": 5}}`:                                           false,
		`{"data": {"name": "Soup", "colour": "red"}}`:                     false,
		`{"data": {"name": "Soup", "allergens": "cats"}}`:                 false,
		`{"data": {"name": "Soup", "photo": {"connect": [{"it": "x"}]}}}`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		check(t, err)
		if err := p.takes(operation, value); (err == nil) != fits {
			t.Errorf("the body %s: %v", body, err)
		}
	}
	for answer, fits := range map[string]bool{
		`{"data": {"id": 1, "documentId": "a"}, "meta": {}}`:                   true,
		`{"data": {"id": 1, "documentId": "a", "name": null}, "meta": {}}`:     true,
		`{"data": {"id": 1, "documentId": "a", "photo": {}}, "meta": {}}`:      false,
		`{"data": {"id": 1, "documentId": "a", "secret": "x"}, "meta": {}}`:    false,
		`{"data": {"id": "1", "documentId": "a"}, "meta": {}}`:                 false,
		`{"data": {"id": 1, "documentId": "a", "createdAt": 5}, "meta": {}}`:   false,
		`{"data": null, "meta": {}}`:                                           false,
		`{"data": [{"id": 1, "documentId": "a"}], "meta": {"pagination": {}}}`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
		check(t, err)
		if err := p.answers(operation, 201, value); (err == nil) != fits {
			t.Errorf("the answer %s: %v", answer, err)
		}
	}
}
