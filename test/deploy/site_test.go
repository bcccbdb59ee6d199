package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// site is what the nodes serve.
type site struct {
	t        *testing.T
	machine  *machine
	nodes    []*process
	token    string
	written  []string // titles of articles
	troubled bool     // a node was killed, of which the others may warn
}

// begin waits for the nodes, which listen at that port, and makes a token with a command in
// the first.
func (s *site) begin(port int) {
	s.t.Helper()
	for _, n := range s.nodes {
		n.URL = fmt.Sprintf("%s:%d", n.URL, port)
		n.await()
	}
	args := []string{"token", "create", "--name", "me", "--type", "full-access", "--data", "/data", "/site"}
	s.token = s.machine.succeed(s.nodes[0].container, args, "")
}

// isServed writes through each node, and demands that each has all of it.
func (s *site) isServed() {
	s.t.Helper()
	for _, n := range s.nodes {
		title := fmt.Sprintf("%s wrote %d", n.host, len(s.written))
		for status := 0; status != http.StatusCreated; {
			body := strings.NewReader(fmt.Sprintf(`{"data": {"title": %q}}`, title))
			var text string
			status, text = s.ask(n, http.MethodPost, "/api/articles", "application/json", body)
			if status != http.StatusCreated && !(s.troubled && status == http.StatusServiceUnavailable) {
				s.t.Fatalf("%s: %d %s", n.host, status, text)
			}
		}
		s.written = append(s.written, title)
	}
	for _, n := range s.nodes {
		for _, title := range s.written {
			status, text := s.ask(n, http.MethodGet, "/api/articles?filters[title][$eq]="+url.QueryEscape(title), "", nil)
			if status != http.StatusOK || !strings.Contains(text, title) {
				s.t.Errorf("%s does not have %q: %d %s", n.host, title, status, text)
			}
		}
		status, text := s.ask(n, http.MethodGet, "/_ready", "", nil)
		for strings.Contains(text, "indexes that were in use") { // are built after a start
			status, text = s.ask(n, http.MethodGet, "/_ready", "", nil)
		}
		if status != http.StatusNoContent {
			s.t.Errorf("%s is not ready: %d %s", n.host, status, text)
		}
	}
}

// storesFiles uploads a file through one node, and fetches it from all.
func (s *site) storesFiles() {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("files", "note.txt")
	if err == nil {
		_, err = io.WriteString(part, "stored once")
	}
	if err == nil {
		err = w.Close()
	}
	check(s.t, err)
	status, text := s.ask(s.nodes[1], http.MethodPost, "/api/upload", w.FormDataContentType(), &form)
	var files []struct{ URL string }
	if err := json.Unmarshal([]byte(text), &files); status != http.StatusCreated || err != nil || len(files) != 1 {
		s.t.Fatalf("the upload: %d %s", status, text)
	}
	for _, n := range s.nodes {
		if status, text := s.ask(n, http.MethodGet, files[0].URL, "", nil); status != http.StatusOK || text != "stored once" {
			s.t.Errorf("%s has the file as %d %s", n.host, status, text)
		}
	}
}

// ask sends a request with the token, and returns the answer.
func (s *site) ask(n *process, method, path, kind string, body io.Reader) (status int, text string) {
	s.t.Helper()
	r, err := http.NewRequest(method, n.URL+path, body)
	check(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", kind)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatalf("%s: %v", n.host, err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatalf("%s: %v", n.host, err)
	}
	return answer.StatusCode, string(b)
}
