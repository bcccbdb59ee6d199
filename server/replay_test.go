package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// replayed are the suites of testdata/suites that must pass.
var replayed = []string{
	"01-documents",
	"02-validation",
	"03-filters",
	"04-sort-page-fields",
	"05-populate",
	"06-status",
	"07-locale",
	"08-relations",
	"09-components",
	"10-permissions",
	"11-users",
	"12-media",
	"13-legacy-format",
	"15-inverse",
	"16-random-writes",
	imported,
}

// imported is the suite that does not start from an empty site.
const imported = "14-imported"

// TestReplay asks what the recorded suites ask, each suite of an empty site, and
// compares the answers. testdata/suites/README.md tells what is compared.
func TestReplay(t *testing.T) {
	for _, name := range replayed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if name == imported {
				importGuide(t, folder)
			}
			site, tokens := openSiteIn(t, folder)
			s := session{site: site, tokens: tokens, saved: map[string]any{}}
			for number, step := range readSuite(t, name) {
				for _, row := range s.replay(step) {
					t.Errorf("#%d %s %s (%s): %s", number, step.Method, step.Path, step.caller(), row)
				}
			}
		})
	}
}

func readSuite(t *testing.T, name string) []step {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../testdata/suites", name+".json"))
	check(t, err)
	var suite struct{ Steps []step }
	check(t, decodeJSON(data, &suite))
	if len(suite.Steps) == 0 {
		t.Fatal("the suite has no steps")
	}
	return suite.Steps
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// step is one request of a suite with the answer that it must get.
type step struct {
	As      string
	Method  string
	Path    string
	Headers map[string]any
	Body    json.RawMessage
	Raw     *string
	Files   [][2]string // form field and file of testdata/media
	Form    map[string]any
	Save    any
	Expect  struct {
		Status int
		Body   any
	}
}

func (s step) caller() string {
	if s.As == "" {
		return "full"
	}
	return s.As
}

// session is the run of one suite.
type session struct {
	site   http.Handler
	tokens map[string]string
	saved  map[string]any
	names  []string    // of what is saved, oldest first
	header http.Header // of the last answer
}

// replay sends the step and returns how the answer differs from the recorded one.
func (s *session) replay(step step) []string {
	status, got, err := s.send(step)
	if err != nil {
		return []string{err.Error()}
	}
	s.keep(step.Save, got)
	var rows []string
	if status != step.Expect.Status {
		rows = append(rows, fmt.Sprintf("status %d, want %d", status, step.Expect.Status))
	}
	return append(rows, differences(step.Expect.Body, s.plain(got, place{}))...)
}

// send returns the status and body of the answer. A body that is no JSON comes
// as an object that says so.
func (s *session) send(step step) (status int, body any, err error) {
	request, err := s.request(step)
	if err != nil {
		return 0, nil, err
	}
	recorder := httptest.NewRecorder()
	s.site.ServeHTTP(recorder, request)
	text := recorder.Body.Bytes()
	s.header = recorder.Header()
	if len(text) == 0 {
		return recorder.Code, nil, nil
	}
	if err := decodeJSON(text, &body); err != nil {
		body = map[string]any{"<not json>": string(text)}
	}
	return recorder.Code, body, nil
}

func (s *session) request(step step) (*http.Request, error) {
	path, err := s.fillText(step.Path)
	if err != nil {
		return nil, err
	}
	content, kind, err := s.content(step)
	if err != nil {
		return nil, err
	}
	request := httptest.NewRequest(step.Method, strings.ReplaceAll(path, " ", "%20"), bytes.NewReader(content))
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	return request, s.setHeaders(request.Header, step)
}

func (s *session) setHeaders(h http.Header, step step) error {
	for name, value := range step.Headers {
		text, err := s.fillText(fmt.Sprint(value))
		if err != nil {
			return err
		}
		h.Set(name, text)
	}
	if step.caller() == "public" {
		return nil
	}
	token, ok := s.tokens[step.caller()]
	if !ok {
		return fmt.Errorf("there is no token of %s", step.caller())
	}
	h.Set("Authorization", "Bearer "+token)
	return nil
}

// content is the body that the step sends and its type.
func (s *session) content(step step) (data []byte, kind string, err error) {
	switch {
	case step.Files != nil:
		return s.multipart(step)
	case step.Raw != nil:
		return []byte(*step.Raw), "application/json", nil
	case step.Body == nil:
		return nil, "", nil
	}
	var body any
	if err := decodeJSON(step.Body, &body); err != nil {
		return nil, "", err
	}
	filled, err := s.fill(body)
	if err != nil {
		return nil, "", err
	}
	data, err = json.Marshal(filled)
	return data, "application/json", err
}

var saved = regexp.MustCompile(`\{\{([\w.]+)\}\}`)

// fill puts what was saved in the place of {{name}} throughout a JSON value. A
// text that is nothing but {{name}} becomes what was saved, number or text.
func (s *session) fill(value any) (any, error) {
	var errs []error
	switch value := value.(type) {
	case string:
		if m := saved.FindStringSubmatch(value); m != nil && m[0] == value {
			return s.recall(m[1])
		}
		return s.fillText(value)
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			filled, err := s.fill(item)
			list[i], errs = filled, append(errs, err)
		}
		return list, errors.Join(errs...)
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, item := range value {
			filled, err := s.fill(item)
			object[key], errs = filled, append(errs, err)
		}
		return object, errors.Join(errs...)
	}
	return value, nil
}

func (s *session) fillText(text string) (string, error) {
	var errs []error
	text = saved.ReplaceAllStringFunc(text, func(name string) string {
		value, err := s.recall(strings.Trim(name, "{}"))
		errs = append(errs, err)
		return fmt.Sprint(value)
	})
	return text, errors.Join(errs...)
}

func (s *session) recall(name string) (any, error) {
	value, ok := s.saved[name]
	if !ok {
		return nil, fmt.Errorf("nothing was saved as %s", name)
	}
	return value, nil
}

// keep saves from the answer what the step names.
func (s *session) keep(save, body any) {
	switch save := save.(type) {
	case string:
		if at(body, "data.documentId") != nil {
			s.put(save, at(body, "data.documentId"))
			s.put(save+".id", at(body, "data.id"))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(save)) {
			value := at(body, save[name].(string))
			s.put(name, value)
			if who, ok := strings.CutPrefix(name, "token:"); ok {
				s.tokens[who] = fmt.Sprint(value)
			}
		}
	}
}

func (s *session) put(name string, value any) {
	s.saved[name] = value
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}
