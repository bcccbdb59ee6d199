package command

import (
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/replay"
)

// storefrontAccess is the part of site.json that the code of the project does not contain. An
// export would supply it.
const storefrontAccess = `{
  "i18n": {"locales": [{"code": "en", "name": "English"}, {"code": "fr", "name": "French"}]},
  "roles": {"public": {
    "api::global.global": ["find", "readDraft"], "api::page.page": ["find", "readDraft"],
    "api::product.product": ["find", "readDraft"], "api::article.article": ["find", "readDraft"],
    "api::plan.plan": ["find", "readDraft"], "api::voice.voice": ["find", "readDraft"],
    "api::shop-page.shop-page": ["find"], "api::journal-page.journal-page": ["find"],
    "api::category.category": ["find"], "api::question.question": ["find"],
    "api::logo.logo": ["find"], "api::redirection.redirection": ["find"]
  }}
}`

// The front end of an adopted project gets what its pages show: what the middlewares of the
// project populate, in both locales, and drafts in its draft mode. The code of the project does
// that as it is: without it, pages have no sections. The front end gets the same from a second
// site, which adopts the project with an export of the first.
func TestFrontEndOfAnAdoptedProject(t *testing.T) {
	suite, err := replay.ReadFile("../testdata/storefront.json")
	requireNil(t, err)
	first, second := project(t, "storefront"), project(t, "storefront")
	writeIn(t, first, "site.json", storefrontAccess)
	succeed(t, "adopt", "--force", first)
	token, _ := who(t, "token", "create", "--name", "author", "--type", "full-access", first)
	front := new(forwarder)
	s := replay.NewSession("../testdata", front, map[string]string{"full": token})

	p := front.serve(t, first)
	for _, step := range suite.Content {
		status, body, err := s.Send(step)
		if err != nil || status/100 != 2 {
			t.Fatalf("%s %s: %d %v %v", step.Method, step.Path, status, body, err)
		}
		s.Keep(step.Save, body)
	}
	requireFrontEnd(t, s, front, suite.Steps)
	p.end()
	if _, stdout, _ := command(t, "check", first); strings.Count(stdout, "-populate.ts: runs\n") != 6 || strings.Contains(stdout, "runs in part") {
		t.Error(stdout)
	}
	writeIn(t, first, "site.json", strings.Replace(storefrontAccess, "{", `{"code": {"enabled": false},`, 1))
	p = front.serve(t, first)
	const page = "/api/pages?filters[slug][$eq]=homepage&filters[locale]=en"
	if status, body, err := s.Send(replay.Step{Method: "GET", Path: page}); err != nil || status != 200 || strings.Contains(fmt.Sprint(body), "section.opening") {
		t.Errorf("without the code: %d %v %v", status, body, err)
	}
	p.end()

	requireNil(t, os.Mkdir(filepath.Join(second, "data"), 0o700))
	succeed(t, "export", first, filepath.Join(second, "data", "export_20260101120000.tar.gz"))
	requireParts(t, succeed(t, "adopt", second), "site.json was written with:\n", "was imported:\n", "1 file is left to work through")
	p = front.serve(t, second)
	requireFrontEnd(t, s, front, suite.Steps)
	p.end()
}

// requireFrontEnd sends the requests of the front end. It requires the responses of the
// suite, and every file that they name.
func requireFrontEnd(t *testing.T, s *replay.Session, front *forwarder, steps []replay.Step) {
	t.Helper()
	files := map[string]bool{}
	for number, step := range steps {
		for _, row := range s.Replay(step) {
			t.Errorf("#%d %s: %s", number, step.Path, row)
		}
		_, body, err := s.Send(step)
		requireNil(t, err)
		collectFiles(body, files)
	}
	if len(files) == 0 {
		t.Error("no answer names a file")
	}
	for path := range files {
		w := httptest.NewRecorder()
		front.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if kind := w.Header().Get("Content-Type"); w.Code != 200 || kind != "image/png" {
			t.Errorf("%s: %d, %s", path, w.Code, kind)
		}
	}
}

// collectFiles collects the addresses of files in a response.
func collectFiles(value any, files map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		if path, ok := value["url"].(string); ok && strings.HasPrefix(path, "/uploads/") {
			files[path] = true
		}
		for _, item := range value {
			collectFiles(item, files)
		}
	case []any:
		for _, item := range value {
			collectFiles(item, files)
		}
	}
}

// forwarder forwards requests to the served site.
type forwarder struct{ httputil.ReverseProxy }

// serve serves a site, and forwards requests to it from now on.
func (f *forwarder) serve(t *testing.T, site string) *program {
	t.Helper()
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	to, err := url.Parse(p.url)
	requireNil(t, err)
	f.Rewrite = func(r *httputil.ProxyRequest) { r.SetURL(to) }
	return p
}
