package server

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"quire/auth"
)

// The page at /api/docs shows the description of the API, and readers can try the API
// there. It is plain HTML, CSS and JavaScript modules, without a framework, and contains
// nothing of the site: it requests the description from the API on behalf of its reader.
// So the page and its files are the same for everybody. The program contains them as an
// archive, which TestDocsArePacked makes of the sources beside it.
//
//go:embed docs/page.tar.gz
var docsPack []byte

// docsFiles are the files of the page by name.
var docsFiles = sync.OnceValues(func() (map[string][]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(docsPack))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(r)
		}
		if err != nil {
			return nil, err
		}
	}
})

// docs answers GET /api/docs.
func docs(x *request) error { return x.docsPage(http.StatusOK) }

// docsRefused answers GET /api/docs for callers who may not read the description. Browsers
// get the page, which says how to sign in, and others get the error.
func docsRefused(x *request, refusal error) error {
	x.Header().Set("Vary", "Accept")
	if !prefersPage(x.http.Header.Get("Accept")) {
		return refusal
	}
	x.Header().Set("Cache-Control", "no-store")
	return x.docsPage(http.StatusForbidden)
}

func (x *request) docsPage(status int) error {
	files, err := docsFiles()
	if err != nil {
		return err
	}
	below := "docs/" // relative, so that the page works behind any prefix of a proxy
	if requested, _, _ := strings.Cut(x.http.RequestURI, "?"); strings.HasSuffix(requested, "/") {
		below = ""
	}
	x.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.Header().Set("Vary", "Accept, Authorization")
	x.setPageHeaders(docsPolicy)
	x.send(status, []byte(strings.ReplaceAll(string(files["page.html"]), "FILES/", below)))
	return nil
}

// docsPolicy lets the page run only its own scripts, connect only to this server, and not
// turn text into markup.
const docsPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; " +
	"style-src 'self'; script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"

// docsFile answers GET /api/docs/:file with a file of the page.
func docsFile(x *request) error {
	name := x.params.ByName("file")
	files, err := docsFiles()
	if err != nil {
		return err
	}
	content, known := files[name]
	if !known || name == "page.html" {
		return notFound()
	}
	if !x.unchangedBody(content) {
		kind := "text/javascript; charset=utf-8"
		if path.Ext(name) == ".css" {
			kind = "text/css; charset=utf-8"
		}
		x.Header().Set("Content-Type", kind)
		x.send(http.StatusOK, content)
	}
	return nil
}

// prefersPage reports whether a client prefers HTML to JSON. A client that accepts anything
// counts as a program.
func prefersPage(accept string) bool {
	page, data := 0.0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		kind, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := parameters["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				q = 0
			}
		}
		switch kind {
		case "text/html", "application/xhtml+xml":
			page = max(page, q)
		case "application/json":
			data = max(data, q)
		}
	}
	return page > 0 && page >= data
}

// docsRoutes are the routes of the page.
func docsRoutes() []Route {
	get := func(path string, h handler) Route {
		return Route{Method: http.MethodGet, Path: path, Permission: auth.ReadDescription, Instead: auth.ExploreContent, handler: h}
	}
	page := get("/api/docs", docs)
	page.refused = docsRefused
	return leniently([]Route{
		page, get("/api/docs/types", explore),
		{Method: http.MethodGet, Path: "/api/docs/:file", Open: true, handler: docsFile},
	})
}
