package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/program"
)

// site is a site that is served, and a token of full access to it.
type site struct {
	t      *testing.T
	folder string
	token  string
	server *program.Server
}

// newSite makes a site, with what "upload" in its site.json says, and serves it.
func newSite(t *testing.T, upload string) *site {
	t.Helper()
	s := &site{t: t, folder: program.NewSite(t)}
	s.configure(upload)
	s.token = program.NewToken(t, s.folder, "test", "full-access")
	s.serve()
	return s
}

func (s *site) serve() { s.server = program.Serve(s.t, s.folder) }

// configure writes "upload" into site.json.
func (s *site) configure(upload string) { s.t.Helper(); s.set("upload", upload) }

// set writes a setting into site.json.
func (s *site) set(key, setting string) {
	s.t.Helper()
	path := filepath.Join(s.folder, "site.json")
	text, err := os.ReadFile(path)
	check(s.t, err)
	var config map[string]json.RawMessage
	check(s.t, json.Unmarshal(text, &config))
	config[key] = json.RawMessage(setting)
	text, err = json.Marshal(config)
	check(s.t, err)
	check(s.t, os.WriteFile(path, text, 0o600))
}

// inBucket is what "upload" says of a bucket: its use, and how it is served.
func (o *objectStore) inBucket(use, serve string) string {
	return fmt.Sprintf(`{"storage": {"bucket": "s3://guide/files", "endpoint": %q, "pathStyle": true, "use": %q}, "serve": %q, "pictures": {"sizes": ["100x"]}}`, o.URL, use, serve)
}

// restart stops the program in order, and serves the site again.
func (s *site) restart() {
	s.t.Helper()
	s.server.Signal(os.Interrupt)
	check(s.t, s.server.Wait())
	s.serve()
}

// answer is what came of a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request. Redirects are not followed; an error is status 0.
func (s *site) do(method, path, kind string, body io.Reader, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.server.URL+path, body)
	check(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	if strings.HasPrefix(path, "/uploads/") {
		r.Header.Del("Authorization")
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

func (s *site) get(path string, headers ...string) answer {
	s.t.Helper()
	return s.do("GET", path, "", nil, headers...)
}

// upload sends a file in a form.
func (s *site) upload(path, name, content string) answer {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, err := w.CreateFormFile("files", name)
	check(s.t, err)
	_, err = io.WriteString(file, content)
	check(s.t, err)
	check(s.t, w.Close())
	return s.do("POST", path, w.FormDataContentType(), &form)
}

// record is what tests read of a file.
type record struct {
	DocumentID, URL string
	Formats         map[string]struct{ URL string }
}

// uploaded uploads a file that must be taken.
func (s *site) uploaded(name, content string) (r record) {
	s.t.Helper()
	a := s.upload("/api/upload", name, content)
	var list []record
	if a.status != 201 || json.Unmarshal([]byte(a.body), &list) != nil || len(list) != 1 {
		s.t.Fatalf("%s: %d %s", name, a.status, a.body)
	}
	return list[0]
}

// holds demands that a url has a content.
func (s *site) holds(url, content string) {
	s.t.Helper()
	if a := s.get(url); a.status != 200 || a.body != content {
		s.t.Errorf("%s: %d, %d bytes instead of %d", url, a.status, len(a.body), len(content))
	}
}

// sound demands that quire check finds nothing.
func (s *site) sound() {
	s.t.Helper()
	if code, stdout, stderr := program.Run(s.t, "check", s.folder); code != 0 || strings.Contains(stdout+stderr, secret) {
		s.t.Errorf("check: exit %d\n%s%s", code, stdout, stderr)
	}
}

// photo is a picture of 600 × 400 pixels.
func photo(t *testing.T) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 600, 400))
	for i := range m.Pix {
		m.Pix[i] = byte(i / 1200)
	}
	var b bytes.Buffer
	check(t, png.Encode(&b, m))
	return b.String()
}
