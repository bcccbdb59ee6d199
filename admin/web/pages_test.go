package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, o Options) *Pages {
	t.Helper()
	if !Included {
		t.Skip("built without the admin")
	}
	p, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func get(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// What the program carries is what the manifest says, and nothing else.
func TestDistIsComplete(t *testing.T) {
	p := open(t, Options{})
	for name, want := range p.bundle.manifest.Files {
		compressed := p.bundle.files[name]
		content, err := decompress(compressed)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sum := sha256.Sum256(content)
		if got := (size{len(content), len(compressed), hex.EncodeToString(sum[:])}); got != want {
			t.Errorf("%s is %+v, the manifest says %+v", name, got, want)
		}
	}
	entries, err := fs.ReadDir(carried, "dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		_, listed := p.bundle.manifest.Files[strings.TrimSuffix(e.Name(), ".gz")]
		if !listed && e.Name() != "manifest.json" {
			t.Errorf("dist/%s is not in the manifest", e.Name())
		}
	}
	for _, name := range []string{"main.js", "main.css", "editor.js", "blocks.js", "markdown.js", "core-de.js", "icon.svg", "licences.txt"} {
		if len(p.bundle.files[name]) == 0 {
			t.Errorf("dist has no %s", name)
		}
	}
}

// The admin may make the program larger by 1 MiB.
func TestDistIsSmall(t *testing.T) {
	total := 0
	for _, content := range open(t, Options{}).bundle.files {
		total += len(content)
	}
	if total > 1<<20 {
		t.Errorf("dist has %d bytes", total)
	}
}

// Every path of the admin shows the page, which loads files that are there.
func TestEveryPathShowsThePage(t *testing.T) {
	p := open(t, Options{Name: "A <b> site"})
	for _, path := range []string{"/admin", "/admin/", "/admin/content/api::story.story", "/admin/setup", "/admin/one/two.js"} {
		w := get(p, path)
		if w.Code != 200 || !strings.Contains(w.Body.String(), "<title>A &lt;b&gt; site</title>") {
			t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("GET %s has the policy %q", path, policy)
		}
		for _, part := range strings.Split(w.Body.String(), `"`) {
			if strings.HasPrefix(part, "/admin/") && get(p, part).Code != 200 {
				t.Errorf("the page loads %s, which is not there", part)
			}
		}
	}
}

// A window that another site has opened cannot see where the page goes, and no address of the
// admin leaves the site.
func TestNoWindowOfAnotherSiteWatchesThePages(t *testing.T) {
	p := open(t, Options{})
	for _, path := range []string{"/", "/admin", "/admin/setup"} {
		h := get(p, path).Header()
		if h.Get("Cross-Origin-Opener-Policy") != "same-origin" || h.Get("Referrer-Policy") != "same-origin" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s: %v", path, h)
		}
	}
}

func TestNoncesAreOfOneAnswer(t *testing.T) {
	p := open(t, Options{})
	if a, b := get(p, "/admin").Header(), get(p, "/admin").Header(); a.Get("Content-Security-Policy") == b.Get("Content-Security-Policy") {
		t.Error("two answers have the same nonce")
	}
}

// Files are for good under the hash of all of them, compressed for those who take it.
func TestFilesAreKeptForGood(t *testing.T) {
	p := open(t, Options{})
	path := "/admin/" + p.bundle.manifest.Hash + "/main.js"
	plain, small := get(p, path), get(p, path, "Accept-Encoding", "br, gzip;q=0.5")
	for _, w := range []*httptest.ResponseRecorder{plain, small} {
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Header().Get("Vary") != "Accept-Encoding" ||
			w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Fatalf("%d %v", w.Code, w.Header())
		}
	}
	content, err := decompress(small.Body.Bytes())
	if err != nil || string(content) != plain.Body.String() || small.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("the compressed file is another one: %v, %v", err, small.Header())
	}
	if w := get(p, path, "Accept-Encoding", "gzip;q=0"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a client that refuses gzip gets it")
	}
	if w := get(p, "/admin/0123456789ab/main.js"); w.Code != 404 {
		t.Errorf("a file of another version: %d", w.Code)
	}
}

func TestThePageAtTheTopLeadsToTheAdmin(t *testing.T) {
	w := get(open(t, Options{Name: "The guide"}), "/")
	for _, part := range []string{"<h1>The guide</h1>", `href="/admin/"`, `href="/api/docs"`} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page has no %s", part)
		}
	}
}

// A demo shows at the top what runs, where it leads and what to try. It runs no scripts, and
// takes nothing over from a request but the host that it is about.
func TestThePageOfADemo(t *testing.T) {
	w := get(open(t, Options{Name: "The guide", Demo: true}), "/")
	body := w.Body.String()
	for _, part := range []string{"<h1>The demo is running</h1>", `href="/admin/"`, `href="/api/docs"`, "curl -g 'http://example.com/api/restaurants?fields=name,summary"} {
		if !strings.Contains(body, part) {
			t.Errorf("the page has no %s", part)
		}
	}
	if n := strings.Count(body, "<pre>curl "); n != 3 {
		t.Errorf("it suggests %d requests", n)
	}
	if p := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; style-src 'nonce-") || strings.Contains(p, "script") || strings.Contains(body, "<script") {
		t.Errorf("the page may run scripts: %s", p)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "evil.example/'; rm -rf"
	other := httptest.NewRecorder()
	open(t, Options{Demo: true}).ServeHTTP(other, r)
	if strings.Contains(other.Body.String(), "evil") || !strings.Contains(other.Body.String(), "http://127.0.0.1:1337/api/") {
		t.Error(other.Body.String())
	}
}

func TestPagesAreOnlyRead(t *testing.T) {
	w := httptest.NewRecorder()
	open(t, Options{}).ServeHTTP(w, httptest.NewRequest("POST", "/admin/", nil))
	if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// For development files come from a folder, as they are, and nothing outside of it does.
func TestFolderForDevelopment(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.js"), []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, Options{Folder: dir})
	if w := get(p, "/admin/dev/main.js"); w.Code != 200 || w.Body.String() != "one" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	if w := get(p, "/admin/dev/.."); w.Code == 200 && strings.Contains(w.Body.String(), "main.js") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get(p, "/admin/"); !strings.Contains(w.Body.String(), "/admin/dev/reload.js") {
		t.Errorf("the page does not reload itself: %s", w.Body)
	}
}

func TestPreviewsMayBeFramed(t *testing.T) {
	origins := []string{"https://front.example.org"}
	p := open(t, Options{Frames: func() []string { return origins }})
	framed := func(want string) {
		t.Helper()
		if got := get(p, "/admin").Header().Get("Content-Security-Policy"); !strings.Contains(got, "; frame-src "+want+"; ") || !strings.Contains(got, "frame-ancestors 'none'") {
			t.Errorf("the policy is %s, want frames of %s", got, want)
		}
	}
	framed("'self' https://front.example.org")
	origins = nil // another version of the site
	framed("'self'")
}
