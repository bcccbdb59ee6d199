//go:build !nocode

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth"
)

// project is a served project with code.
type project struct {
	*testing.T
	app   *App
	url   string
	token string
	log   *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const articleSchema = `{
	"kind": "collectionType", "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"}, "options": {"draftAndPublish": true},
	"attributes": {"title": {"type": "string", "required": true}, "slug": {"type": "string"}, "secret": {"type": "string", "private": true},
		"lines": {"type": "relation", "relation": "oneToMany", "target": "api::line.line", "mappedBy": "article"}}}`

const lineSchema = `{
	"kind": "collectionType", "info": {"singularName": "line", "pluralName": "lines", "displayName": "Line"}, "options": {"draftAndPublish": false},
	"attributes": {"what": {"type": "string"}, "article": {"type": "relation", "relation": "manyToOne", "target": "api::article.article", "inversedBy": "lines"}}}`

const articleHooks = `
module.exports = {
	beforeCreate(event) { event.params.data.slug = 'slug of ' + event.params.data.title; event.params.data.secret = 'hidden'; },
	async afterCreate({ result }) {
		if (result.title === 'hang') await new Promise(() => {});
		if (result.title === 'late') await new Promise((go) => setTimeout(go, 60));
		await strapi.documents('api::line.line').create({ data: { what: (result.publishedAt ? 'published ' : 'created ') + result.title } });
		if (result.title === 'refused') throw new (require('@strapi/utils').errors.ApplicationError)('not this one', { why: 'title' });
	},
	async afterUpdate({ result }) { await strapi.documents('api::line.line').create({ data: { what: 'updated ' + result.title } }); },
};`

const articleController = `
const { factories } = require('@strapi/strapi');
const grow = () => { let s = 'x'; for (;;) s += s; };
module.exports = factories.createCoreController('api::article.article', ({ strapi }) => ({
	async bare(ctx) { return strapi.documents('api::article.article').findMany({ status: 'published', populate: '*' }); },
	async clean(ctx) { return this.sanitizeOutput(await strapi.documents('api::article.article').findMany({ status: 'published', populate: '*' }), ctx); },
	async break(ctx) {
		switch (ctx.params.how) {
			case 'loop': for (;;);
			case 'recursion': { const f = () => f() + 1; return f(); }
			case 'strings': return grow();
			case 'never': return new Promise(() => {});
			case 'null': throw null;
			case 'rejection': Promise.reject(new Error('nobody awaits this')); return { fine: true };
			case 'array': { const a = []; for (;;) a.push(a); }
			case 'expression': return /^(a+)+$/.test('a'.repeat(64) + 'b');
			case 'deep': { let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a; }
			case 'cycle': { const a = {}; a.a = a; return a; }
			case 'status': ctx.status = 99; return 'x';
			case 'header': ctx.set('X-Evil', 'a\r\nb: c'); return 'x';
			case 'huge': return 'x'.repeat(80 << 20);
			case 'error': throw Object.assign(new Error('secret of the server'), { message: { toString() { throw 1; } } });
			case 'getter': return { get a() { throw new Error('secret'); } };
		}
	},
}));`

const articleRoutes = `
module.exports = { routes: ['bare', 'clean'].map((name) => ({ method: 'GET', path: '/made/' + name, handler: 'article.' + name, config: { auth: false } }))
	.concat({ method: 'GET', path: '/broken/:how', handler: 'article.break', config: { auth: false } }) };`

// newProject serves a project, with further files or other contents of those above.
func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	site := t.TempDir()
	all := map[string]string{
		"site.json": `{"roles": {"public": {"api::article.article": ["find", "findOne"]}}, "graphql": {"enabled": true}, "auth": {"rateLimit": {"enabled": false}}}`,
		"src/api/article/content-types/article/schema.json":   articleSchema,
		"src/api/article/content-types/article/lifecycles.js": articleHooks,
		"src/api/article/controllers/article.js":              articleController,
		"src/api/article/routes/01-made.js":                   articleRoutes,
		"src/api/article/routes/article.js":                   `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::article.article');`,
		"src/api/line/content-types/line/schema.json":         lineSchema,
	}
	for name, text := range files {
		all[name] = text
	}
	writeFiles(t, site, all)
	p := &project{T: t, log: &lockedBuffer{}}
	p.app = startApp(t, site, slog.New(slog.NewTextHandler(p.log, nil)))
	makeHasty(t, p.app)
	var err error
	if p.token, err = p.app.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "all", Kind: auth.FullAccess}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.app.server.Handler())
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// writeFiles writes the files of a site.
func writeFiles(t testing.TB, site string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(site, name)
		check(t, os.MkdirAll(filepath.Dir(file), 0o700))
		check(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// send sends a request, as the public if it has no token, and returns status and body.
func (p *project) send(token, method, path, body string) (int, string) {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, p.url+path, strings.NewReader(body))
	check(p, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	check(p, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(p, err)
	if response.StatusCode == http.StatusInternalServerError && p.Failed() {
		p.Log(p.log)
	}
	return response.StatusCode, string(text)
}

// lines lists what the hooks have written.
func (p *project) lines() (all []string) {
	p.Helper()
	_, body := p.send(p.token, "GET", "/api/lines?sort=id&pagination[pageSize]=100", "")
	var list struct{ Data []struct{ What string } }
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		p.Fatal(err, body)
	}
	for _, one := range list.Data {
		all = append(all, one.What)
	}
	return all
}

func TestHooksTakePartInWritesFromEveryWayIn(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	want := ""
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		lines                    string
	}{
		{"REST", "POST", "/api/articles", `{"data": {"title": "one"}}`, 201, "created one, published one"},
		{"a draft", "POST", "/api/articles?status=draft", `{"data": {"title": "two"}}`, 201, "created two"},
		{"GraphQL", "POST", "/graphql", `{"query": "mutation { createArticle(data: {title: \"three\"}, status: DRAFT) { title slug } }"}`, 200, "created three"},
		{"a batch", "POST", "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/articles", "body": {"data": {"title": "four"}}}, {"method": "POST", "url": "/api/lines", "body": {"data": {"what": "its own"}}}]}`, 200, "created four, published four, its own"},
		{"a refusal", "POST", "/api/articles", `{"data": {"title": "refused"}}`, 400, ""},
		{"a batch with a refusal", "POST", "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/lines", "body": {"data": {"what": "lost"}}}, {"method": "POST", "url": "/api/articles", "body": {"data": {"title": "refused"}}}]}`, 400, ""},
		{"what is not valid", "POST", "/api/articles", `{"data": {"title": 5}}`, 400, ""},
	} {
		status, body := p.send(p.token, test.method, test.path, test.body)
		if status != test.status {
			t.Errorf("%s: status %d %s", test.name, status, body)
		}
		if test.lines != "" {
			want = strings.TrimPrefix(want+", "+test.lines, ", ")
		}
		if got := strings.Join(p.lines(), ", "); got != want {
			t.Fatalf("after %s the hooks have written %q, want %q", test.name, got, want)
		}
		if test.status == 400 && strings.Contains(body, "not this one") != strings.Contains(test.body, "refused") {
			t.Errorf("%s: %s", test.name, body)
		}
	}
	_, body := p.send("", "GET", "/api/articles?filters[title]=one", "")
	if !strings.Contains(body, `"slug":"slug of one"`) || strings.Contains(body, "hidden") {
		t.Error(body)
	}
}

// What a hook gives to onCommit and onRollback is called after the write around it has ended.
func TestHooksAreCalledAfterTheWriteAroundThem(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"src/api/article/content-types/article/lifecycles.js": `
const line = (what) => strapi.documents('api::line.line').create({ data: { what } });
module.exports = { async beforeCreate({ params: { data } }) {
	if (data.title === 'itself') return strapi.db.transaction(({ commit }) => commit());
	await strapi.db.transaction(({ onCommit, onRollback }) => {
		onCommit(() => line('committed ' + data.title + ', in a transaction: ' + strapi.db.inTransaction()));
		onRollback(() => line('rolled back ' + data.title));
	});
	if (data.title === 'refused') throw new (require('@strapi/utils').errors.ApplicationError)('not this one');
} };`})
	for _, test := range []struct {
		title  string
		status int
		want   string
	}{{"one", 201, "committed one, in a transaction: false"}, {"refused", 400, "rolled back refused"}} {
		if status, body := p.send(p.token, "POST", "/api/articles?status=draft", `{"data": {"title": "`+test.title+`"}}`); status != test.status {
			t.Fatalf("%s: %d %s\n%v", test.title, status, body, p.log)
		}
		for end := time.Now().Add(3 * time.Minute); !slices.Contains(p.lines(), test.want); {
			if time.Now().After(end) {
				t.Fatalf("the hooks have written %q, not %q\n%v", p.lines(), test.want, p.log)
			}
		}
	}
	if n := len(p.lines()); n != 2 {
		t.Errorf("the hooks have written %q", p.lines())
	}
	if status, body := p.send(p.token, "POST", "/api/articles?status=draft", `{"data": {"title": "itself"}}`); status != 500 || len(p.lines()) != 2 {
		t.Errorf("a hook that commits the write around it: %d %s", status, body)
	}
}

// Whoever listens to Strapi's events hears of writes from every way in, and of files.
func TestTheCodeHearsOfDocumentsAndFiles(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"src/api/article/content-types/article/lifecycles.js": `module.exports = {};`,
		"src/index.js": `module.exports = { bootstrap({ strapi }) {
	const line = (what) => strapi.db.query('api::line.line').create({ data: { what } });
	strapi.eventHub.subscribe((name, { uid, entry, media }) => (media || uid === 'api::article.article') && line(media ? [name, media.name, media.mime].join(' ') : [name, entry.title, entry.lines && entry.lines.length, 'secret' in entry].join(' ')));
} };`})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { p.app.runFileEvents(ctx) })
	if status, body := p.send(p.token, "POST", "/api/articles", `{"data": {"title": "one", "secret": "x"}}`); status != 201 {
		t.Fatal(status, body)
	}
	if status, body := p.send(p.token, "POST", "/graphql", `{"query": "mutation { createArticle(data: {title: \"two\"}, status: DRAFT) { documentId } }"}`); status != 200 || strings.Contains(body, "errors") {
		t.Fatal(status, body)
	}
	var uploaded []struct{ ID int }
	for len(uploaded) == 0 {
		status, body := p.upload("hello.txt", "hello")
		if status != 201 || json.Unmarshal([]byte(body), &uploaded) != nil {
			t.Fatal(status, body)
		}
	}
	if status, body := p.send(p.token, "DELETE", fmt.Sprintf("/api/upload/files/%d", uploaded[0].ID), ""); status != 200 {
		t.Fatal(status, body)
	}
	for _, want := range []string{"entry.create one 0 false", "entry.publish one 0 false", "entry.create two 0 false", "media.create hello.txt text/plain", "media.delete hello.txt text/plain"} {
		for end := time.Now().Add(3 * time.Minute); !slices.Contains(p.lines(), want); {
			if time.Now().After(end) {
				t.Fatalf("the code has heard %q, not %q\n%v", p.lines(), want, p.log)
			}
		}
	}
}

// As in Strapi, sanitizeQuery leaves out what the caller may not name, and validateQuery, which
// Strapi's own actions call, refuses it.
func TestQueriesAreSanitizedOrRefused(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"src/api/article/controllers/article.js": `module.exports = require('@strapi/strapi').factories.createCoreController('api::article.article', ({ strapi }) => ({
	async clean(ctx) { return { query: await this.sanitizeQuery(ctx), signedIn: ctx.state.isAuthenticated === true, user: ctx.state.user === undefined }; },
	async bare(ctx) { return this.validateQuery(ctx); },
	async put(ctx) { return this.sanitizeInput(ctx.request.body.data, ctx); },
	async find(ctx) { const { data, meta } = await super.find(ctx); return { data, meta: { ...meta, own: true } }; },
}));`,
		"src/api/article/routes/01-made.js": `module.exports = { routes: [{ method: 'POST', path: '/made/put', handler: 'article.put', config: { auth: false } }, ...['bare', 'clean'].map((name) => ({ method: 'GET', path: '/made/' + name, handler: 'article.' + name, config: { auth: name === 'bare' ? false : { scope: ['api::article.article.find'] } } }))] };`,
		"site.json":                         `{"roles": {"public": {"api::article.article": ["find", "findOne"]}}}`,
	})
	for _, test := range []struct {
		path, query string
		status      int
		want        string
	}{
		{"made/clean", "filters[title]=a&filters[secret]=b&filters[$or][0][secret][$eq]=c&filters[$or][1][title]=d&own=1", 200, `{"query":{"filters":{"$or":[{},{"title":"d"}],"title":"a"},"own":"1"},"signedIn":true,"user":true}`},
		{"made/clean", "sort=secret:desc,title&fields[0]=title&fields[1]=none&populate[lines][fields]=what&populate[none]=true", 200, `{"query":{"fields":["title"],"populate":{"lines":{"fields":"what"}},"sort":"title"},"signedIn":true,"user":true}`},
		{"made/clean", "sort[0]=none&sort[1]=title&fields=secret&populate=none", 200, `{"query":{"sort":["title"]},"signedIn":true,"user":true}`},
		{"made/bare", "filters[secret]=b", 400, `Invalid key secret`},
		{"articles", "filters[secret]=b", 400, `Invalid key secret`},
		{"articles", "filters[title]=b", 200, `"own":true`},
	} {
		if status, body := p.send("", "GET", "/api/"+test.path+"?"+test.query, ""); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s?%s: %d %s\nand not %d %s", test.path, test.query, status, body, test.status, test.want)
		}
	}
	unknown := func(n int) (names, members string) {
		for i := range n {
			names += fmt.Sprintf(",x%d", i)
			members += fmt.Sprintf(`"x%d":1,`, i)
		}
		return names, members
	}
	for n, status := range map[int]int{100: 200, 101: 400} {
		names, members := unknown(n)
		if got, body := p.send("", "GET", "/api/made/clean?fields=title"+names, ""); got != status {
			t.Errorf("a query with %d wrong keys: %d %.200s", n, got, body)
		}
		if got, body := p.send("", "POST", "/api/made/put", `{"data":{`+members+`"title":"a"}}`); got != status || status == 200 && body != `{"title":"a"}` {
			t.Errorf("data with %d wrong keys: %d %.200s", n, got, body)
		}
	}
}

// upload uploads a file and returns status and body.
func (p *project) upload(name, text string) (int, string) {
	p.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("files", name)
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err != nil || w.Close() != nil {
		p.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.url+"/api/upload", &form)
	check(p, err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+p.token)
	response, err := http.DefaultClient.Do(r)
	check(p, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(p, err)
	return response.StatusCode, string(body)
}

func TestPrivateValuesLeaveTheCodeOnlyIfItSendsThem(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.send(p.token, "POST", "/api/articles", `{"data": {"title": "one"}}`)
	if _, body := p.send("", "GET", "/api/made/bare", ""); !strings.Contains(body, "hidden") {
		t.Errorf("the code does not see private attributes: %s", body)
	}
	_, body := p.send("", "GET", "/api/made/clean", "")
	if strings.Contains(body, "hidden") || strings.Contains(body, "lines") || !strings.Contains(body, "slug of one") {
		t.Errorf("sanitizeOutput shows the public %s", body)
	}
	if _, body := p.send(p.token, "GET", "/api/made/clean", ""); !strings.Contains(body, `"title":"one"`) {
		t.Error(body)
	}
}

func TestAHookThatHangsHoldsUpNobodyAndStoresNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	var all sync.WaitGroup
	hangs := make(chan int, 1)
	go func() {
		status, _ := p.send(p.token, "POST", "/api/articles?status=draft", `{"data": {"title": "hang"}}`)
		hangs <- status
	}()
	for i := range 64 {
		all.Go(func() {
			path, body := "/api/lines", `{"data": {"what": "w%d"}}`
			if i%4 == 0 {
				path, body = "/api/articles?status=draft", `{"data": {"title": "t%d"}}`
			}
			if status, answer := p.send(p.token, "POST", path, fmt.Sprintf(body, i)); status != 201 {
				t.Errorf("%s: status %d %s", path, status, answer)
			}
		})
	}
	all.Wait()
	select {
	case status := <-hangs:
		t.Fatalf("the hook that hangs got %d before the others were done", status)
	default:
	}
	if status := <-hangs; status != http.StatusServiceUnavailable {
		t.Errorf("the write whose hook hangs gets %d", status)
	}
	if _, body := p.send(p.token, "GET", "/api/articles?status=draft&filters[title]=hang", ""); !strings.Contains(body, `"total":0`) {
		t.Errorf("something of it was stored: %s", body)
	}
}

func TestSlowHooksOfManyClientsAllSucceed(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if status, answer := p.send(p.token, "POST", "/api/articles?status=draft", `{"data": {"title": "late"}}`); status != 201 && status != 409 && status != 503 {
				t.Errorf("status %d %s", status, answer)
			}
		})
	}
	all.Wait()
	_, body := p.send(p.token, "GET", "/api/articles?status=draft", "")
	made := strings.Count(body, `"title":"late"`)
	if lines := len(p.lines()); lines != made || made == 0 {
		t.Errorf("%d articles have %d lines of their hooks", made, lines)
	}
}

func TestCodeThatMisbehavesFailsAloneAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"site.json": `{"code": {"memory": 64}, "roles": {"public": {"api::article.article": ["find"]}}}`})
	*seam[time.Duration](t, p.app.code.Load(), "patience") = 8 * time.Second
	for how, want := range map[string]int{
		"loop": 500, "recursion": 500, "strings": 500, "never": 503, "null": 500, "rejection": 200, "array": 500, "expression": 500,
		"deep": 500, "cycle": 500, "status": 500, "header": 500, "huge": 500, "error": 500, "getter": 500,
	} {
		status, body := p.send("", "GET", "/api/broken/"+how, "")
		if status != want && !(want == 500 && status == 503) {
			t.Errorf("%s: status %d %.200s, want %d", how, status, body, want)
		}
		if strings.Contains(body, "secret") {
			t.Errorf("%s: the body has what the error says: %s", how, body)
		}
		if status, body := p.send("", "GET", "/api/articles", ""); status != 200 {
			t.Fatalf("after %s a plain list gets %d %s", how, status, body)
		}
		answers := 0
		for answers < 10 && status != 200 { // the machine may have to start anew first
			status, body = p.send("", "GET", "/api/made/clean", "")
			answers++
		}
		if status != 200 {
			t.Errorf("after %s the code answers %d %s", how, status, body)
		}
	}
}

func TestCodeThatCannotRunStopsTheStartWithFileAndLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, text, want string }{
		"syntax":    {"src/api/article/controllers/article.js", "module.exports = {\n  a: ,\n}", "src/api/article/controllers/article.js:2"},
		"package":   {"src/index.js", "const x = require('left-pad');\nmodule.exports = {};", "left-pad"},
		"database":  {"src/index.js", "module.exports = {};\nrequire('knex');", "src/index.js:2"},
		"memory":    {"src/index.js", "const all = [];\nfor (;;) all.push('x'.repeat(1000) + all.length);", "src/index.js:2: out of memory: to load the code takes more than code.memory in site.json"},
		"throws":    {"src/index.js", "module.exports = { register() { throw new Error('no register'); } };", "no register"},
		"bootstrap": {"src/index.js", "module.exports = { async bootstrap() { throw new Error('no bootstrap'); } };", "no bootstrap"},
		"handler":   {"src/api/article/routes/02.js", "module.exports = { routes: [{ method: 'GET', path: '/x', handler: 'article.none' }] };", "article.none"},
		"task":      {"config/server.js", "module.exports = { cron: { enabled: true, tasks: { often: { task() {}, options: 'often' } } } };", "often"},
	} {
		site := t.TempDir()
		for file, text := range map[string]string{
			"src/api/article/content-types/article/schema.json": articleSchema, "src/api/line/content-types/line/schema.json": lineSchema,
			"src/api/article/controllers/article.js": articleController, test.file: test.text,
		} {
			check(t, os.MkdirAll(filepath.Join(site, filepath.Dir(file)), 0o700))
			check(t, os.WriteFile(filepath.Join(site, file), []byte(text), 0o600))
		}
		a, err := Open(Location{Site: site}, Options{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(name, err)
		}
		if err := a.Start(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the start says %v, want %s", name, err, test.want)
		}
		if err := a.Close(); err != nil {
			t.Error(name, err)
		}
	}
}

// A controller shows users their own articles only. What Quire has beyond Strapi must not
// show the others.
func TestWhatAControllerHidesStaysHidden(t *testing.T) {
	t.Parallel()
	const own = `
module.exports = require('@strapi/strapi').factories.createCoreController('api::article.article', () => ({
	find: () => ({ data: [] }),
	findOne: (ctx) => ctx.notFound(),
	update: (ctx) => ctx.forbidden(),
}));`
	p := newProject(t, map[string]string{
		"site.json":                              `{"roles": {"public": {"api::article.article": ["find", "findOne", "update", "readHistory"]}}, "graphql": {"enabled": true}}`,
		"src/api/article/controllers/article.js": own, "src/api/article/routes/01-made.js": "module.exports = { routes: [] };",
	})
	_, body := p.send(p.token, "POST", "/api/articles", `{"data": {"title": "for one reader"}}`)
	id := body[strings.Index(body, `"documentId":"`)+len(`"documentId":"`):][:24]
	for _, request := range []struct{ method, path, body string }{
		{"GET", "/api/articles", ""}, {"GET", "/api/articles/" + id, ""}, {"GET", "/api/articles/_count", ""},
		{"GET", "/api/articles/_aggregate?groupBy=title", ""}, {"GET", "/api/articles/" + id + "/links", ""}, {"GET", "/api/articles/" + id + "/history", ""},
		{"GET", "/api/_events", ""}, {"GET", "/api/_changes", ""},
		{"PUT", "/api/articles/" + id, `{"data": {"title": "taken over"}}`},
		{"POST", "/api/_batch", `{"requests": [{"method": "PUT", "url": "/api/articles/` + id + `", "body": {"data": {"title": "taken over"}}}]}`},
		{"POST", "/graphql", `{"query": "subscription { articleChanged { documentId } }"}`},
	} {
		status, body := p.send("", request.method, request.path, request.body)
		if strings.Contains(body, "for one reader") || strings.Contains(body, `"total":1`) || strings.Contains(body, `"count":1`) || status == 200 && request.path != "/api/articles" && request.path != "/graphql" {
			t.Errorf("%s %s: status %d %s", request.method, request.path, status, body)
		}
	}
	if _, body := p.send(p.token, "GET", "/api/articles/_count", ""); !strings.Contains(body, "1") {
		t.Errorf("a token of full access gets %s", body)
	}
}

// Seeds of many projects make permissions and content in bootstrap.
func TestBootstrapSeedsPermissionsAndContent(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"site.json": `{}`,
		"src/index.js": `module.exports = { async bootstrap({ strapi }) {
			const role = await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
			const permissions = strapi.query('plugin::users-permissions.permission');
			for (const action of ['api::line.line.find', 'api::line.line.find']) {
				if (!await permissions.findOne({ where: { action, role: role.id } })) await permissions.create({ data: { action, role: role.id } });
			}
			await strapi.entityService.create('api::line.line', { data: { what: 'seeded' } });
		} };`,
	})
	if status, body := p.send("", "GET", "/api/lines", ""); status != 200 || !strings.Contains(body, "seeded") {
		t.Errorf("status %d %s", status, body)
	}
	if status, _ := p.send("", "POST", "/api/lines", `{"data": {}}`); status != 403 {
		t.Errorf("the public may create: status %d", status)
	}
}
