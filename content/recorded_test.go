package content

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// The recorded suites are the contract. Their writes are replayed here without HTTP.
// Each must be accepted or refused as recorded, with the same name of the error,
// refused key, and wrong paths.
func TestRecordedWrites(t *testing.T) {
	for _, name := range []string{
		"01-documents", "02-validation", "03-filters", "04-sort-page-fields", "05-populate", "06-status", "07-locale", "08-relations", "09-components", "13-legacy-format",
	} {
		t.Run(name, func(t *testing.T) {
			r := replay{newFixture(t, guide(t)), map[string]string{}}
			for i, s := range r.steps(name) {
				if why := r.step(s); why != "" {
					t.Errorf("#%d %s %s %s: %s", i, s.Method, s.Path, s.Body, why)
				}
			}
		})
	}
}

type recordedStep struct {
	As, Method, Path string
	Body             json.RawMessage
	Raw              *string
	Headers          map[string]string
	Save             json.RawMessage
	Expect           struct {
		Status int
		Body   struct {
			Data  map[string]json.RawMessage
			Error recordedError
		}
	}
}

type recordedError struct {
	Name    string
	Details struct {
		Key    string
		Errors []struct{ Path []string }
	}
}

type replay struct {
	*fixture
	saved map[string]string
}

func (r *replay) steps(name string) []recordedStep {
	r.Helper()
	data, err := os.ReadFile(filepath.Join("../testdata/suites", name+".json"))
	must(r, err)
	var suite struct{ Steps []json.RawMessage }
	must(r, json.Unmarshal(data, &suite))
	var steps []recordedStep
	for _, raw := range suite.Steps {
		var s recordedStep
		var errs *json.UnmarshalTypeError
		if err := json.Unmarshal(raw, &s); err != nil && !errors.As(err, &errs) {
			r.Fatal(err)
		}
		steps = append(steps, s)
	}
	return steps
}

var placeholder = regexp.MustCompile(`"?\{\{([\w.]+)\}\}"?`)

// fill inserts the values that earlier steps saved: numbers without the quotes.
func (r *replay) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.Trim(match, `"{}`)
		value, ok := r.saved[name]
		if !ok {
			r.Fatalf("nothing was saved as %s", name)
		}
		if strings.HasSuffix(name, ".id") || match[0] != '"' {
			return value
		}
		return `"` + value + `"`
	})
}

// step plays one step, and describes how its outcome differs from the recorded one. It
// ignores steps that are not about content.
func (r *replay) step(s recordedStep) string {
	if s.Method == "GET" || s.As != "" && s.As != "full" || s.Raw != nil || s.Expect.Status == 405 {
		return ""
	}
	address, err := url.Parse(r.fill(s.Path))
	if err != nil {
		return err.Error()
	}
	query := address.Query()
	if status := query.Get("status"); status == "zzz" || s.Method == "DELETE" && status != "" {
		return "" // the server refuses these
	}
	route, documentID, _ := strings.Cut(strings.TrimPrefix(address.Path, "/api/"), "/")
	request := Request{Type: r.routed(route), DocumentID: documentID, Locale: query.Get("locale")}
	if query.Get("status") == "draft" {
		request.Status = store.Draft
	}
	result, err := r.write(s, request)
	if err == nil {
		r.keep(s, result, request)
	}
	return difference(s, err)
}

func (r *replay) routed(route string) *schema.Type {
	r.Helper()
	for _, t := range r.site.Types {
		if t.Plural == route && t.Kind == schema.Collection || t.Singular == route && t.Kind == schema.Single {
			return t
		}
	}
	r.Fatalf("nothing is served at %s", route)
	return nil
}

func (r *replay) write(s recordedStep, request Request) (Result, error) {
	ctx := context.Background()
	if s.Method == "DELETE" {
		return Result{}, r.writer.Delete(ctx, request)
	}
	var sent struct{ Data json.RawMessage }
	if len(s.Body) > 0 && s.Body[0] == '{' {
		if err := json.Unmarshal([]byte(r.fill(string(s.Body))), &sent); err != nil {
			return Result{}, err
		}
	}
	var err error
	if request.Input, err = body.Decode(r.site, request.Type, sent.Data, nil); err != nil {
		return Result{}, err
	}
	if s.Method == "POST" {
		return r.writer.Create(ctx, request)
	}
	return r.writer.Update(ctx, request)
}

func (r *replay) keep(s recordedStep, result Result, request Request) {
	var name string
	if json.Unmarshal(s.Save, &name) != nil || name == "" {
		return
	}
	e := r.mustRead(request.Type.UID, store.Key{DocumentID: result.DocumentID, Locale: result.Locale, Status: result.Status})
	r.saved[name] = result.DocumentID
	r.saved[name+".id"] = fmt.Sprint(e.ID)
}

func difference(s recordedStep, err error) string {
	if s.Expect.Status < 300 {
		if err != nil {
			return fmt.Sprintf("refused: %v", err)
		}
		return ""
	}
	want, got := s.Expect.Body.Error, recorded(err)
	switch {
	case err == nil:
		return "accepted"
	case want.Name != got.Name || want.Details.Key != got.Details.Key:
		return fmt.Sprintf("%s key %q, want %s key %q", got.Name, got.Details.Key, want.Name, want.Details.Key)
	}
	for _, issue := range want.Details.Errors {
		if !slices.ContainsFunc(got.Details.Errors, func(e struct{ Path []string }) bool { return slices.Equal(e.Path, issue.Path) }) {
			return fmt.Sprintf("nothing wrong at %q: %v", issue.Path, err)
		}
	}
	return ""
}

// recorded returns an error in the form of the recordings.
func recorded(err error) (r recordedError) {
	var invalid *body.ValidationError
	var key *body.KeyError
	switch {
	case errors.As(err, &invalid):
		r.Name = "ValidationError"
		for _, issue := range invalid.Issues {
			r.Details.Errors = append(r.Details.Errors, struct{ Path []string }{issue.Path})
		}
	case errors.As(err, &key):
		r.Name, r.Details.Key = "ValidationError", key.Key
	case errors.As(err, new(*NotFoundError)):
		r.Name = "NotFoundError"
	case errors.As(err, new(*ApplicationError)):
		r.Name = "ApplicationError"
	}
	return r
}

// Plain values of the accepted writes must be stored as recorded.
func TestRecordedValues(t *testing.T) {
	r := replay{newFixture(t, guide(t)), map[string]string{}}
	for i, s := range r.steps("02-validation") {
		if s.Method != "POST" || s.Expect.Status != 201 {
			continue
		}
		route, _, _ := strings.Cut(strings.TrimPrefix(s.Path, "/api/"), "?")
		kind := r.routed(route)
		request := Request{Type: kind}
		if strings.Contains(s.Path, "status=draft") {
			request.Status = store.Draft
		}
		result, err := r.write(s, request)
		if err != nil {
			t.Errorf("#%d: %v", i, err)
			continue
		}
		e := r.mustRead(kind.UID, store.Key{DocumentID: result.DocumentID, Locale: result.Locale, Status: result.Status})
		for _, a := range kind.Attributes {
			want, ok := s.Expect.Body.Data[a.Name]
			if got := plain(a, e.Value(a.Name)); ok && !sameJSON(got, want) {
				t.Errorf("#%d %s: %s is %s, want %s", i, s.Body, a.Name, got, want)
			}
		}
	}
}

// plain returns a value as responses contain it.
func plain(a *schema.Attribute, v store.Value) json.RawMessage {
	if a.Kind == schema.BigInteger && v.Kind == store.Int {
		return strconv.AppendQuote(nil, fmt.Sprint(v.Num))
	}
	return json.RawMessage(body.AsJSON(a, v))
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, _ := json.Marshal(x)
	other, _ := json.Marshal(y)
	return bytes.Equal(one, other)
}
