package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Session is the run of one suite: its saved values, and the callers.
type Session struct {
	Tokens map[string]string // by their names in the suites; those of users are added
	Header http.Header       // of the last response

	site     http.Handler
	testdata string
	saved    map[string]any
	names    []string // of saved values, oldest first
}

// NewSession begins the run of a suite of the folder testdata against a site, with tokens
// called "full" and "readonly" of those kinds.
func NewSession(testdata string, site http.Handler, tokens map[string]string) *Session {
	return &Session{Tokens: tokens, site: site, testdata: testdata, saved: map[string]any{}}
}

// Replay sends the step and returns how the response differs from the recorded one.
func (s *Session) Replay(step Step) []string {
	status, got, err := s.Send(step)
	if err != nil {
		return []string{err.Error()}
	}
	s.Keep(step.Save, got)
	var rows []string
	if status != step.Expect.Status {
		rows = append(rows, fmt.Sprintf("status %d, want %d", status, step.Expect.Status))
	}
	return append(rows, differences(step.Expect.Body, s.plain(got, valuePath{}))...)
}

// Send returns the status and body of the response. A body that is not JSON is returned as
// an object that says so.
func (s *Session) Send(step Step) (status int, body any, err error) {
	request, err := s.request(step)
	if err != nil {
		return 0, nil, err
	}
	recorder := httptest.NewRecorder()
	s.site.ServeHTTP(recorder, request)
	if to := recorder.Header().Get("Location"); recorder.Code == http.StatusFound && step.Method == http.MethodGet { // Strapi's answers were recorded with a client that follows it
		step.Path = to
		return s.Send(step)
	}
	text := recorder.Body.Bytes()
	s.Header = recorder.Header()
	if len(text) == 0 {
		return recorder.Code, nil, nil
	}
	if err := Decode(text, &body); err != nil {
		body = map[string]any{"<not json>": string(text)}
	}
	return recorder.Code, body, nil
}

func (s *Session) request(step Step) (*http.Request, error) {
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

func (s *Session) setHeaders(h http.Header, step Step) error {
	for name, value := range step.Headers {
		text, err := s.fillText(fmt.Sprint(value))
		if err != nil {
			return err
		}
		h.Set(name, text)
	}
	if step.Caller() == "public" {
		return nil
	}
	token, ok := s.Tokens[step.Caller()]
	if !ok {
		return fmt.Errorf("there is no token of %s", step.Caller())
	}
	h.Set("Authorization", "Bearer "+token)
	return nil
}

// content returns the body of the step and its type.
func (s *Session) content(step Step) (data []byte, kind string, err error) {
	switch {
	case step.Files != nil:
		return s.multipart(step)
	case step.Raw != nil:
		return []byte(*step.Raw), "application/json", nil
	case step.Body == nil:
		return nil, "", nil
	}
	var body any
	if err := Decode(step.Body, &body); err != nil {
		return nil, "", err
	}
	filled, err := s.Fill(body)
	if err != nil {
		return nil, "", err
	}
	data, err = json.Marshal(filled)
	return data, "application/json", err
}
