//go:build !nocode

package app

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quire/auth"
)

// A benched site is served to 64 clients that keep their connections.
type benched struct {
	url, token string
	client     *http.Client
	handler    http.Handler
}

const benchClients = 64

func bench(b *testing.B, site string) *benched {
	b.Helper()
	a := startApp(b, site, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	token, err := a.auth.CreateToken(b.Context(), auth.TokenSpec{Name: "all", Kind: auth.FullAccess})
	check(b, err)
	server := httptest.NewServer(a.server.Handler())
	b.Cleanup(server.Close)
	return &benched{url: server.URL, token: token, handler: a.server.Handler(), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}}
}

func (s *benched) send(method, path, body string) error {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return err
}

// fill sends the same write 25 times, with a number in it.
func (s *benched) fill(b *testing.B, path, body string) {
	b.Helper()
	for i := range 25 {
		check(b, s.send("POST", path, strings.ReplaceAll(body, "#", fmt.Sprint(i))))
	}
}

// load sends a request from all clients at once, as often as the benchmark asks.
func (s *benched) load(b *testing.B, method, path, body string) {
	b.SetParallelism(max(1, benchClients/runtime.GOMAXPROCS(0)))
	begun := processors()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := s.send(method, path, body); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64((processors()-begun).Microseconds())/float64(b.N), "cpu-µs")
}

// processors returns the time of the processors that the process has used.
func processors() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkCodeSite measures testdata/code-site, whose requests pass through a middleware for
// all requests, one of the route and one of documents: the list of 25 articles that a
// controller changes, and the create of an author with a hook.
func BenchmarkCodeSite(b *testing.B) {
	site := filepath.Join(b.TempDir(), "site")
	check(b, os.CopyFS(site, os.DirFS("../testdata/code-site")))
	s := bench(b, site)
	s.fill(b, "/api/articles", `{"data": {"title": "Article number #", "body": "Some words of an article that is not long", "views": #}}`)
	b.Run("list", func(b *testing.B) { s.load(b, "GET", "/api/articles", "") })
	b.Run("create", func(b *testing.B) { s.load(b, "POST", "/api/authors", `{"data": {"name": "Anna"}}`) })
}

// codeBench is a project whose notes have a controller and two lifecycles, and whose lines
// have no code. The two have the same attributes.
const noteAttributes = `"attributes": {"title": {"type": "string"}, "slug": {"type": "string"}, "text": {"type": "text"}, "words": {"type": "integer"}, "featured": {"type": "boolean"}}}`

var codeBench = map[string]string{
	"src/api/note/content-types/note/schema.json": `{"kind": "collectionType", "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"}, "options": {"draftAndPublish": false}, ` + noteAttributes,
	"src/api/line/content-types/line/schema.json": `{"kind": "collectionType", "info": {"singularName": "line", "pluralName": "lines", "displayName": "Line"}, "options": {"draftAndPublish": false}, ` + noteAttributes,
	"src/api/note/routes/note.js":                 `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');`,
	"src/api/note/controllers/note.js": `module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', () => ({
	async find(ctx) { const { data, meta } = await super.find(ctx); return { data: data.map((n) => ({ ...n, shout: n.title.toUpperCase() })), meta }; },
}));`,
	"src/api/note/content-types/note/lifecycles.js": `module.exports = {
	beforeCreate(event) { event.params.data.words = event.params.data.text.split(' ').length; },
	async afterCreate(event) { event.state.seen = event.result.title; },
};`,
}

const benchedNote = `{"data": {"title": "Note number #", "slug": "note-#", "text": "Some words of a note that is not long", "featured": false}}`

func benchProject(b *testing.B, settings string) *benched {
	b.Helper()
	site := b.TempDir()
	writeFiles(b, site, codeBench)
	writeFiles(b, site, map[string]string{"site.json": settings})
	s := bench(b, site)
	s.fill(b, "/api/lines", benchedNote)
	return s
}

// BenchmarkCode measures a project without middlewares over HTTP: a list that a controller
// changes, the plain list of the same entries, and a write with two lifecycles.
func BenchmarkCode(b *testing.B) {
	s := benchProject(b, `{}`)
	s.fill(b, "/api/notes", benchedNote)
	b.Run("list", func(b *testing.B) { s.load(b, "GET", "/api/notes", "") })
	b.Run("plain", func(b *testing.B) { s.load(b, "GET", "/api/lines", "") })
	b.Run("create", func(b *testing.B) { s.load(b, "POST", "/api/notes", benchedNote) })
}

// BenchmarkBesideCode asks in turn, without HTTP, a project with code and the same one without
// its code for a list that no code answers. beside-none is how many times as long the first
// takes, by medians.
func BenchmarkBesideCode(b *testing.B) {
	with, without := benchProject(b, `{}`), benchProject(b, `{"code": {"enabled": false}}`)
	var took [2][]time.Duration
	for b.Loop() {
		for i, s := range []*benched{with, without} {
			took[i] = append(took[i], s.ask(b, "/api/lines"))
		}
	}
	b.ReportMetric(median(took[0])/median(took[1]), "beside-none")
}

// BenchmarkAddedByCode asks in turn, without HTTP, for a list that a controller changes and for
// the plain list of the same entries. added-µs is what the first takes more, by medians.
func BenchmarkAddedByCode(b *testing.B) {
	s := benchProject(b, `{}`)
	s.fill(b, "/api/notes", benchedNote)
	var took [2][]time.Duration
	for b.Loop() {
		for i, path := range []string{"/api/notes", "/api/lines"} {
			took[i] = append(took[i], s.ask(b, path))
		}
	}
	b.ReportMetric(median(took[0])-median(took[1]), "added-µs")
}

// ask returns how long the handler takes for a request.
func (s *benched) ask(b *testing.B, path string) time.Duration {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer "+s.token)
	w := httptest.NewRecorder()
	w.Body = bytes.NewBuffer(make([]byte, 0, 16<<10))
	begun := time.Now()
	s.handler.ServeHTTP(w, r)
	took := time.Since(begun)
	if w.Code != http.StatusOK {
		b.Fatal(w.Code, w.Body)
	}
	return took
}

// median is in microseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds()) / 1000
}
