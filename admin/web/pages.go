package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
)

// Options configure the pages.
type Options struct {
	// Name is the name of the site.
	Name string

	// Demo makes "/" show requests to try in a demo.
	Demo bool

	// Frames returns the origins of pages that the admin may show beside a form; nil for none.
	Frames func() []string

	// Folder is the output folder of the builder during development, admin/web/.dev; empty
	// to serve the files in the program.
	Folder string
}

// Pages answers "/" and everything below /admin except the API. It is a handler for GET and
// HEAD.
type Pages struct {
	name   string
	demo   bool
	frames func() []string
	bundle *bundle
	folder *folder // used instead of bundle during development
}

// Open reads the files in the program.
func Open(o Options) (*Pages, error) {
	p := &Pages{name: o.Name, demo: o.Demo, frames: o.Frames}
	if o.Folder != "" {
		p.folder = &folder{o.Folder}
		return p, nil
	}
	dist, err := fs.Sub(carried, "dist")
	if err != nil {
		return nil, err
	}
	p.bundle, err = readBundle(dist)
	return p, err
}

// assetPath is the path of a file that the page loads: its hash, or "dev", and its name.
var assetPath = regexp.MustCompile(`^/admin/([0-9a-f]{12}|dev)/([a-zA-Z0-9_.-]+)$`)

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	asset := assetPath.FindStringSubmatch(r.URL.Path)
	switch {
	case r.URL.Path == "/" && p.demo:
		p.servePage(w, r, "demo.html")
	case r.URL.Path == "/":
		p.servePage(w, r, "welcome.html")
	case asset == nil:
		p.servePage(w, r, "admin.html")
	case p.folder != nil:
		p.folder.serve(w, r, asset[2])
	default:
		p.bundle.serve(w, r, asset[1], asset[2])
	}
}

//go:embed admin.html demo.html welcome.html
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "*.html"))

// page has the values for the templates.
type page struct {
	Name    string
	Assets  string   // the path of the folder of scripts and styles
	Preload []string // scripts that main.js needs
	Dev     bool
	Nonce   string // of the page's own scripts and styles

	Base     string    // address of the site, for the page of a demo
	Requests []request // that the demo suggests
}

// servePage sends a page, which browsers must revalidate each time, because it has the
// version of the scripts.
func (p *Pages) servePage(w http.ResponseWriter, r *http.Request, name string) {
	filled := page{Name: p.name, Nonce: rand.Text(), Base: baseOf(r.Host), Requests: demoRequests}
	allowed := p.policy(filled.Nonce)
	if name == "demo.html" {
		allowed = demoPolicy(filled.Nonce)
	}
	if p.folder != nil {
		filled.Assets, filled.Dev = "/admin/dev/", true
	} else {
		filled.Assets, filled.Preload = "/admin/"+p.bundle.manifest.Hash+"/", p.bundle.manifest.Preload
	}
	var body bytes.Buffer
	if err := templates.ExecuteTemplate(&body, name, filled); err != nil {
		panic(err) // tests check the templates
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", allowed)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if r.Method != http.MethodHead {
		w.Write(body.Bytes())
	}
}

// policy lets the page run and load only the admin's own files, and show pictures and films
// that texts link to elsewhere, and previews in frames. Styles with the nonce are those of the
// Markdown editor.
func (p *Pages) policy(nonce string) string {
	frames := []string{"'self'"}
	if p.frames != nil {
		frames = append(frames, p.frames()...)
	}
	return "default-src 'none'; script-src 'self' 'nonce-" + nonce + "'; style-src 'self' 'nonce-" + nonce + "'; " +
		"connect-src 'self'; img-src 'self' data: blob: https:; media-src 'self' blob: https:; frame-src " + strings.Join(frames, " ") + "; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// request is a request that the page of a demo suggests.
type request struct{ Title, About, Path string }

// demoRequests are answered to everybody, with content that every demo has.
var demoRequests = []request{
	{"Names and summaries, in order", "fields takes some attributes, sort puts entries in order.", "/api/restaurants?fields=name,summary&sort=name"},
	{"Where they cook seafood, and who cooks", "filters follows relations, populate sends related entries along.", "/api/restaurants?filters[cuisines][name]=Seafood&populate[cook][fields]=name"},
	{"The same restaurants in German", "locale takes another version of each document.", "/api/restaurants?locale=de&fields=name,summary"},
}

var hostForm = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$|^\[[0-9a-fA-F:.]+\](:[0-9]+)?$`)

// baseOf returns the address of the demo for commands: the host of the request, if it looks
// like one.
func baseOf(host string) string {
	if !hostForm.MatchString(host) || len(host) > 255 {
		host = "127.0.0.1:1337"
	}
	return "http://" + host
}

// demoPolicy lets the page of a demo load only its icon and its style, and run nothing.
func demoPolicy(nonce string) string {
	return "default-src 'none'; style-src 'nonce-" + nonce + "'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
