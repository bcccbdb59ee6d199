package admin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"quire/admin"
)

// Somebody else's reader of OpenAPI documents takes ours.
func TestDescriptionIsValid(t *testing.T) {
	t.Parallel()
	v := openAdmin(t)
	v.client().want(401, "GET", "/openapi.json", "")
	parsed, err := openapi3.NewLoader().LoadFromData([]byte(v.owner().want(200, "GET", "/openapi.json", "").body))
	if err == nil {
		err = parsed.Validate(context.Background(), openapi3.IsOpenAPI31OrLater())
	}
	check(t, err)
}

var placeholder = regexp.MustCompile(`/[:*](\w+)`)

// describedPaths are the operations of the document, by path and method.
func describedPaths(t *testing.T) map[string]map[string]struct{ Summary string } {
	t.Helper()
	var d struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	check(t, json.Unmarshal(admin.OpenAPI(), &d))
	return d.Paths
}

func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	paths := describedPaths(t)
	for _, r := range admin.Routes() {
		path := placeholder.ReplaceAllString(r.Path, "/{$1}")
		if paths[path][strings.ToLower(r.Method)].Summary == "" {
			t.Errorf("%s %s is not described", r.Method, r.Path)
		}
	}
}

// Each route knows the parameters that the document names, and refuses others by name.
func TestParametersAreThoseDescribed(t *testing.T) {
	t.Parallel()
	var d struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	check(t, json.Unmarshal(admin.OpenAPI(), &d))
	o := openAdmin(t)
	v, tried := o.owner(), 0
	for _, r := range admin.Routes() {
		if strings.HasSuffix(r.Path, "/*rest") || r.Foreign {
			continue
		}
		path := placeholder.ReplaceAllString(r.Path, "/{$1}")
		known := []string{}
		for _, p := range d.Paths[path][strings.ToLower(r.Method)].Parameters {
			if p.In == "query" {
				known = append(known, p.Name)
			}
		}
		at := placeholder.ReplaceAllString(r.Path, "/none")
		for _, key := range []string{"lokale", "LOCALE", "pages[page]", "q[]"} {
			a := v.want(400, r.Method, at+"?"+key+"=1", "")
			if a.text("error.details.key") != key || !strings.Contains(a.text("error.message"), "There is no parameter") {
				t.Errorf("%s %s?%s: %s", r.Method, r.Path, key, a.body)
			}
		}
		for _, key := range known {
			if strings.HasPrefix(r.Path, "/media/") {
				break // the content API reads them
			}
			if a := v.want(400, r.Method, at+"?"+key+"=&"+key+"=", ""); !strings.Contains(a.text("error.message"), key+" is given 2 times") {
				t.Errorf("%s %s does not know %s: %s", r.Method, r.Path, key, a.body)
			}
			tried++
		}
		v.want(400, r.Method, at+"?%zz", "")
	}
	if tried < 10 {
		t.Errorf("%d parameters are too few: the document does not name them", tried)
	}
	for _, method := range []string{"GET", "HEAD"} {
		if a := o.client().ask(method, "/roles?lokale=x", ""); a.status != 401 {
			t.Errorf("%s: a stranger is answered %d", method, a.status)
		}
	}
}

// promise holds answers against the document.
type promise struct {
	document any
	paths    []string // those without parameters first

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
}

var theDescription = sync.OnceValues(func() (*promise, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(admin.OpenAPI())))
	if err != nil {
		return nil, err
	}
	paths := slices.Sorted(maps.Keys(document.(map[string]any)["paths"].(map[string]any)))
	slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
	return &promise{document: document, paths: paths, compiled: map[string]*jsonschema.Schema{}}, nil
})

var parameter = regexp.MustCompile(`\\\{(\w+)\\\}`)

// pathOf is the path of the document that a path below /admin/api/v1 belongs to.
func (p *promise) pathOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	for _, known := range p.paths {
		pattern := parameter.ReplaceAllStringFunc(regexp.QuoteMeta(known), func(name string) string {
			if name == `\{rest\}` {
				return ".*"
			}
			return "[^/]+"
		})
		if regexp.MustCompile("^" + pattern + "$").MatchString(path) {
			return known
		}
	}
	return ""
}

// keep demands that an answer is as the document says.
func (p *promise) keep(method, path string, status int, body string) error {
	known := p.pathOf(path)
	described, _ := p.document.(map[string]any)["paths"].(map[string]any)[known].(map[string]any)
	o, _ := described[strings.ToLower(method)].(map[string]any)
	if o == nil || strings.HasSuffix(known, "/{rest}") || known == "/openapi.json" || status == http.StatusNotModified {
		return nil
	}
	at := fmt.Sprintf("/paths/%s/%s/responses/%d", strings.ReplaceAll(known, "/", "~1"), strings.ToLower(method), status)
	if status >= 400 {
		at = "/components/responses/Failure"
	} else if o["responses"].(map[string]any)[fmt.Sprint(status)] == nil {
		return fmt.Errorf("%s %s: the document has no %d", method, known, status)
	} else if status == http.StatusNoContent || !strings.Contains(fmt.Sprint(o["responses"]), "application/json:") {
		return nil
	}
	if strings.HasPrefix(known, "/media/") && status < 400 {
		return nil // that of the content API, without an envelope
	}
	schema, err := p.schema(at + "/content/application~1json/schema")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\nin %.2000s", method, known, err, body)
	}
	return nil
}

func (p *promise) schema(at string) (*jsonschema.Schema, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.compiled[at]; s != nil {
		return s, nil
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("admin.json", p.document); err != nil {
		return nil, err
	}
	s, err := c.Compile("admin.json#" + at)
	p.compiled[at] = s
	return s, err
}

// What is not as the document says is found.
func TestPromise(t *testing.T) {
	t.Parallel()
	p, err := theDescription()
	check(t, err)
	v := openAdmin(t).owner()
	body := v.want(200, "GET", "/session", "").body
	for _, wrong := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/session", 200, `{"data":{},"meta":{}}`},
		{"GET", "/session", 200, strings.Replace(body, `"Ana"`, `7`, 1)},
		{"GET", "/session", 200, strings.Replace(body, `"name"`, `"more":1,"name"`, 1)},
		{"GET", "/session", 201, body},
		{"DELETE", "/accounts/1", 200, `{}`},
		{"GET", "/documents/api::dish.dish/1?locale=en", 200, `{"data":{"draft":null},"meta":{}}`},
		{"GET", "/session", 401, `{"error":{}}`},
	} {
		if p.keep(wrong.method, wrong.path, wrong.status, wrong.body) == nil {
			t.Errorf("%s %s may be answered %d %s", wrong.method, wrong.path, wrong.status, wrong.body)
		}
	}
	check(t, p.keep("GET", "/session", 200, body))
}
