//go:build !nocode

package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/test/replay"
)

// codeSite opens a copy of the project with code until the test ends.
func codeSite(t *testing.T, log *slog.Logger) *App {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	check(t, os.CopyFS(site, os.DirFS("../testdata/code-site")))
	return startApp(t, site, log)
}

// TestReplayCode sends the recorded requests for a project with code, and compares the
// responses. testdata/suites/README.md says what is compared.
func TestReplayCode(t *testing.T) {
	a := codeSite(t, slog.New(slog.DiscardHandler))
	tokens := map[string]string{}
	for name, kind := range map[string]auth.TokenKind{"full": auth.FullAccess, "readonly": auth.ReadOnly} {
		token, err := a.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: kind})
		check(t, err)
		tokens[name] = token
	}
	steps, err := replay.Read("../testdata", "20-code")
	check(t, err)
	s := replay.NewSession("../testdata", a.server.Handler(), tokens)
	for number, step := range steps {
		for _, row := range s.Replay(step) {
			t.Errorf("#%d %s %s (%s): %s", number, step.Method, step.Path, step.Caller(), row)
		}
	}
}

// A running server serves changed code. Of code that does not load, or whose bootstrap fails,
// the log has the file and line, and the former code goes on, with its hooks.
func TestWatchServesChangedCode(t *testing.T) {
	var log bytes.Buffer
	a := codeSite(t, slog.New(slog.NewTextHandler(&log, nil)))
	ticks, again, stop := maintained(t, a)
	const controller = "src/api/ping/controllers/ping.js"
	pinged := func(want string) {
		t.Helper()
		if _, body := ask(a, "/api/ping"); !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	changed := func() {
		ticks <- time.Time{}
		again <- time.Time{} // the tick has been handled by now
	}
	edit(t, a.at.Site, controller, "pong: true", "pong: 'first'")
	changed()
	pinged(`"pong":"first"`)
	edit(t, a.at.Site, controller, "'first'", "'second'")
	edit(t, a.at.Site, "config/shop.js", "module", "\nundefined.here; module")
	changed()
	pinged(`"pong":"first"`)
	edit(t, a.at.Site, "config/shop.js", "\nundefined.here; ", "")
	edit(t, a.at.Site, "src/index.js", "bootstrap({ strapi }) {", "bootstrap({ strapi }) { throw new Error('not today');")
	changed()
	pinged(`"pong":"first"`)
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::article.article", "data": {"title": "With hooks"}}`), nil); err != nil {
		t.Error(err)
	}
	edit(t, a.at.Site, "src/index.js", " throw new Error('not today');", "")
	check(t, os.WriteFile(filepath.Join(a.at.Site, ".env"), []byte("SHOP_NAME=Kiosk\n"), 0o600))
	changed()
	stop()
	pinged(`"pong":"second","name":"Kiosk"`)
	for _, want := range []string{"the changed code is served", "the former code stays", "config/shop.js:2", "not today"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log: %s", want, &log)
		}
	}
}

// Schemas that change together with the code are served together, or not at all.
func TestReloadOfSchemasWithCode(t *testing.T) {
	a := codeSite(t, slog.New(slog.DiscardHandler))
	edit(t, a.at.Site, "src/api/tag/content-types/tag/schema.json", `"pluralName": "tags"`, `"pluralName": "labels"`)
	edit(t, a.at.Site, "src/api/ping/controllers/ping.js", "pong: true", "pong: nothing()[")
	if err := a.reload(); !errors.As(err, new(*siteError)) || !strings.Contains(err.Error(), "src/api/ping/controllers/ping.js:") {
		t.Errorf("%v", err)
	}
	if status, _ := ask(a, "/api/tags"); status != 200 || a.db.Suspended() {
		t.Errorf("the former site answers %d, and writes: %v", status, !a.db.Suspended())
	}
	edit(t, a.at.Site, "src/api/ping/controllers/ping.js", "nothing()[", "2")
	check(t, a.reload())
	if status, _ := ask(a, "/api/labels"); status != 200 {
		t.Errorf("the new route answers %d", status)
	}
}

// If schemas and code change together and the bootstrap of the new code fails, the former site
// is served with its former code: nothing waits for the correction, and nothing is lost.
func TestASiteWhoseNewCodeDoesNotStartStaysAsItWas(t *testing.T) {
	a := codeSite(t, slog.New(slog.DiscardHandler))
	edit(t, a.at.Site, "src/api/tag/content-types/tag/schema.json", `"pluralName": "tags"`, `"pluralName": "labels"`)
	edit(t, a.at.Site, "src/api/ping/controllers/ping.js", "pong: true", "pong: 'second'")
	edit(t, a.at.Site, "src/index.js", "bootstrap({ strapi }) {", "bootstrap({ strapi }) { throw new Error('not today');")
	if err := a.reload(); !errors.As(err, new(*siteError)) || !strings.Contains(err.Error(), "src/index.js:") || !strings.Contains(err.Error(), "not today") {
		t.Errorf("%v", err)
	}
	for path, want := range map[string]string{"/api/tags": `"data":[`, "/api/ping": `"pong":true`, "/api/labels": `"status":404`} {
		if _, body := ask(a, path); !strings.Contains(body, want) {
			t.Errorf("%s: no %s in %s", path, want, body)
		}
	}
	if a.db.Suspended() {
		t.Error("writes are refused")
	}
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::article.article", "data": {"title": "With hooks"}}`), nil); err != nil {
		t.Error(err)
	}
	edit(t, a.at.Site, "src/index.js", " throw new Error('not today');", "")
	check(t, a.reload())
	for path, want := range map[string]string{"/api/labels": `"data":[`, "/api/ping": `"pong":"second"`} {
		if _, body := ask(a, path); !strings.Contains(body, want) {
			t.Errorf("%s: no %s in %s", path, want, body)
		}
	}
}

// OpenAPI has the routes of the code with their handlers, and not what they replace.
func TestTheDescriptionNamesTheRoutesOfTheCode(t *testing.T) {
	p := newProject(t, map[string]string{
		"src/api/article/routes/01-made.js": articleRoutes + `
			module.exports.routes.push({ method: 'ALL', path: '/num/:id(\\d+)/(.*)', handler: 'article.bare', config: { auth: { scope: ['api::article.article.find'] } } });`,
		"src/api/article/routes/article.js": `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::article.article', { except: ['delete'], config: { find: { auth: false } } });`,
	})
	printed, err := p.app.at.OpenAPI(t.Context())
	check(t, err)
	_, served := p.send(p.token, "GET", "/api/openapi.json", "")
	for where, text := range map[string]string{"printed": string(printed), "served": served} {
		var d struct {
			Paths map[string]map[string]struct {
				Tags        []string
				Description string
				Security    []map[string]any
			}
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(where, err)
		}
		made, find, one, all := d.Paths["/api/made/bare"]["get"], d.Paths["/api/articles"]["get"], d.Paths["/api/articles/{documentId}"], d.Paths["/api/num/{id}/{rest}"]
		if !strings.Contains(made.Description, "article.bare") || len(made.Security) != 0 || made.Tags[0] != "code" {
			t.Errorf("%s: %+v", where, made)
		}
		if !strings.Contains(find.Description, "api::article.article.find") || find.Tags[0] != "code" {
			t.Errorf("%s: %+v", where, find)
		}
		if _, there := one["delete"]; there || one["get"].Tags == nil || one["get"].Tags[0] != "article" {
			t.Errorf("%s: %+v", where, one)
		}
		if len(all) != 5 || !strings.Contains(all["patch"].Description, "api::article.article.find") {
			t.Errorf("%s: %+v", where, all)
		}
	}
}
