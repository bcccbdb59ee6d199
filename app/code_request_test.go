//go:build !nocode

package app

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const photoSchema = `{
	"kind": "collectionType", "info": {"singularName": "photo", "pluralName": "photos", "displayName": "Photo"}, "options": {"draftAndPublish": false}, "pluginOptions": {"gallery": {"columns": 3}},
	"attributes": {"title": {"type": "string"}, "image": {"type": "media", "multiple": false}, "seen": {"type": "json"}}}`

const photoController = `
const fs = require('fs');
const zlib = require('zlib');
const { Readable } = require('stream');
const { promisify } = require('util');
let last;
module.exports = {
	async add(ctx) {
		const { body, files = {} } = ctx.request;
		const file = files.files;
		last = file && file.filepath;
		const photo = await strapi.documents('api::photo.photo').create({ data: { title: body.title } });
		const [stored] = await strapi.plugin('upload').service('upload').upload({
			data: { fileInfo: { name: 'shown.txt', alternativeText: 'a text' }, ref: 'api::photo.photo', refId: photo.id, field: 'image' }, files: file,
		});
		const { image } = await strapi.documents('api::photo.photo').findOne({ documentId: photo.documentId, populate: ['image'] });
		return { body, text: fs.readFileSync(file.filepath, 'utf8'), name: file.originalFilename, type: file.mimetype, size: file.size, many: files.many.map((f) => f.originalFilename), fields: Object.keys(files), stored, image };
	},
	gone: () => ({ there: fs.existsSync(last) }),
	async seed() {
		const [stored] = await strapi.plugin('upload').service('upload').upload({ data: {}, files: { filepath: 'seed/hello.txt', originalFilename: 'hello.txt', mimetype: 'text/plain' } });
		return stored;
	},
	async outside() {
		return strapi.plugin('upload').service('upload').upload({ data: {}, files: { filepath: '/etc/passwd', originalFilename: 'x.txt' } });
	},
	stream(ctx) {
		switch (ctx.params.how) {
			case 'node': ctx.body = Readable.from(['one ', Buffer.from('two')]); ctx.type = 'text/plain'; break;
			case 'file': ctx.body = fs.createReadStream('seed/hello.txt'); break;
			case 'web': ctx.body = new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode('from the ')); c.enqueue('web'); c.close(); } }); break;
			case 'generator': ctx.body = Readable.from((async function* () { yield 'a'; yield 'b'; })()); break;
			case 'gzip': ctx.body = Readable.from(['squeezed']).pipe(zlib.createGzip()).pipe(zlib.createGunzip()); break;
			case 'none': ctx.body = fs.createReadStream('seed/none.txt'); break;
			case 'endless': ctx.body = new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1 << 20)); } }); break;
		}
	},
	cookies(ctx) {
		const { name } = ctx.params;
		if (name === 'set') { ctx.cookies.set('basket', 'b1'); ctx.cookies.set('plain', 'p', { signed: false }); return 'set'; }
		return { signed: ctx.cookies.get('basket') || null, raw: ctx.cookies.get('basket', { signed: false }) || null };
	},
	async zlib() {
		const text = 'squeeze '.repeat(1000);
		const out = { small: zlib.gzipSync(text).length < 200 };
		out.round = ['gzip/gunzip', 'deflate/inflate', 'deflateRaw/inflateRaw', 'gzip/unzip', 'deflate/unzip'].map((pair) => pair.split('/')).every(([to, from]) => zlib[from + 'Sync'](zlib[to + 'Sync'](text)).toString() === text);
		out.callback = await new Promise((done) => zlib.gzip(text, (error, bytes) => done(zlib.gunzipSync(bytes).toString() === text)));
		out.promise = (await promisify(zlib.gunzip)(await promisify(zlib.gzip)(text))).toString() === text;
		try { zlib.gunzipSync('not zipped'); } catch (e) { out.error = e.code; }
		out.known = zlib.gunzipSync(Buffer.from('H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==', 'base64')).toString();
		return out;
	},
	bomb() {
		const part = zlib.gzipSync(Buffer.alloc(1 << 20)); // about a KiB, and a gzip may have many
		try { return { size: zlib.gunzipSync(Buffer.concat(Array(17).fill(part))).length }; } catch (e) { return { code: e.code }; }
	},
	async check(ctx) {
		const users = strapi.plugin('users-permissions').service('user');
		const user = await strapi.db.query('plugin::users-permissions.user').findOne({ where: { username: 'ada' } });
		const changed = await users.edit(user.id, { password: 'secret2' });
		return { user, was: await users.validatePassword('secret1', user.password), is: await users.validatePassword('secret2', user.password), changed };
	},
	async jwt(ctx) {
		const user = await strapi.plugin('users-permissions').service('user').add({ username: 'ada', email: 'ada@example.com', password: 'secret1', provider: 'local', confirmed: true, role: 1 });
		const jwt = strapi.plugin('users-permissions').service('jwt').issue({ id: user.id });
		return { kind: typeof jwt, jwt, id: (await strapi.plugin('users-permissions').service('jwt').verify(jwt)).id === user.id };
	},
	fail() { throw new Error('not for clients'); },
	failLate: () => ({ toJSON() { throw new Error('not for clients'); } }),
	body: (ctx) => ({ body: ctx.request.body, raw: ctx.request.body[Symbol.for('unparsedBody')] || null }),
	clean(ctx) { return strapi.contentAPI.sanitize.input(ctx.request.body.data, strapi.contentType('api::photo.photo')); },
	model() { const { globalId, pluginOptions } = strapi.getModel('api::photo.photo'); return { globalId, pluginOptions }; },
	headers(ctx) { ctx.etag = 'v1'; ctx.lastModified = new Date(0); return ctx.acceptsLanguages('en', 'de'); },
};`

const photoHooks = `
module.exports = { beforeCreate({ params }) {
	const ctx = strapi.requestContext.get();
	params.data.seen = ctx ? { method: ctx.request.method, url: ctx.request.url, ip: ctx.request.ip, agent: ctx.request.header['user-agent'], user: ctx.state.user && ctx.state.user.email, how: ctx.state.auth && ctx.state.auth.strategy.name, mark: ctx.state.mark } : 'nobody';
	if (params.data.title === 'fail') throw new Error('not for clients');
} };`

const photoRoutes = `
const open = (method, path, handler) => ({ method, path, handler: 'own.' + handler, config: { auth: false } });
module.exports = { routes: [open('POST', '/add', 'add'), open('GET', '/gone', 'gone'), open('GET', '/seed', 'seed'), open('GET', '/outside', 'outside'), open('GET', '/stream/:how', 'stream'),
	open('GET', '/cookies/:name', 'cookies'), open('GET', '/zlib', 'zlib'), open('GET', '/bomb', 'bomb'), open('GET', '/jwt', 'jwt'), open('GET', '/check', 'check'), open('GET', '/fail', 'fail'), open('GET', '/fail-late', 'failLate'),
	open('POST', '/body', 'body'), open('POST', '/clean', 'clean'), open('GET', '/model', 'model'), open('GET', '/headers', 'headers')] };`

func newPhotoProject(t *testing.T, more map[string]string) *project {
	files := map[string]string{
		"site.json": `{"roles": {"public": {"api::photo.photo": ["find", "create"]}, "authenticated": {"api::photo.photo": ["find", "create"]}}, "graphql": {"enabled": true}, "auth": {"rateLimit": {"enabled": false}}}`,
		"src/api/photo/content-types/photo/schema.json":   photoSchema,
		"src/api/photo/content-types/photo/lifecycles.js": photoHooks,
		"src/api/photo/controllers/own.js":                photoController,
		"src/api/photo/routes/01-own.js":                  photoRoutes,
		"src/api/photo/routes/photo.js":                   `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::photo.photo');`,
		"config/server.js":                                `module.exports = { app: { keys: ['first', 'second'] } };`,
		"seed/hello.txt":                                  "hello from the project",
	}
	for name, text := range more {
		files[name] = text
	}
	return newProject(t, files)
}

// exchange sends a request and returns the response with its body.
func (p *project) exchange(r *http.Request) (*http.Response, string) {
	p.Helper()
	response, err := http.DefaultClient.Do(r)
	check(p, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(p, err)
	return response, string(text)
}

func (p *project) request(method, path string, body io.Reader) *http.Request {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, p.url+path, body)
	check(p, err)
	return r
}

// form sends a form with fields, and files by field and name.
func (p *project) form(path string, fields [][2]string, files [][3]string) (int, string) {
	p.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		check(p, w.WriteField(f[0], f[1]))
	}
	for _, f := range files {
		part, err := w.CreateFormFile(f[0], f[1])
		if err == nil {
			_, err = io.WriteString(part, f[2])
		}
		check(p, err)
	}
	check(p, w.Close())
	r := p.request("POST", path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	response, body := p.exchange(r)
	return response.StatusCode, body
}

func TestAFormWithFilesReachesAHandlerAndTheMediaLibrary(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	status, body := p.form("/api/add", [][2]string{{"title", "one"}, {"tag", "a"}, {"tag", "b"}}, [][3]string{{"files", "note.txt", "what is in it"}, {"many", "1.txt", "1"}, {"many", "2.txt", "2"}, {"__proto__", "a.txt", "a"}, {"constructor", "b.txt", "b"}})
	if status != 200 {
		t.Fatal(status, body, p.log)
	}
	var got struct {
		Body struct {
			Title string
			Tag   []string
		}
		Text, Name, Type string
		Size             int
		Many, Fields     []string
		Stored, Image    struct {
			ID                              int
			Name, AlternativeText, URL, Ext string
		}
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err, body)
	}
	if got.Body.Title != "one" || len(got.Body.Tag) != 2 || got.Text != "what is in it" || got.Name != "note.txt" || got.Type != "application/octet-stream" || got.Size != 13 || len(got.Many) != 2 {
		t.Error(body)
	}
	if !slices.Equal(got.Fields, []string{"files", "many", "__proto__", "constructor"}) {
		t.Errorf("the fields with files are %q", got.Fields)
	}
	if got.Stored.Name != "shown.txt" || got.Stored.AlternativeText != "a text" || got.Image.ID != got.Stored.ID {
		t.Error(body)
	}
	if _, text := p.send("", "GET", got.Stored.URL, ""); text != "what is in it" {
		t.Errorf("%s has %q", got.Stored.URL, text)
	}
	if _, body := p.send("", "GET", "/api/gone", ""); body != `{"there":false}` {
		t.Errorf("after the request the temporary file is there: %s", body)
	}
	if left, err := filepath.Glob(filepath.Join(p.app.at.UploadsFolder(), ".upload-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	if status, body := p.send("", "GET", "/api/seed", ""); status != 200 || !strings.Contains(body, `"name":"hello.txt"`) {
		t.Errorf("a file of the project: %d %s", status, body)
	}
	if status, body := p.send("", "GET", "/api/outside", ""); status != 500 {
		t.Errorf("a file of the machine: %d %s", status, body)
	}
}

func TestFilesOfAFormAreBoundedTogether(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{"site.json": `{"upload": {"sizeLimit": 2000}}`})
	half := strings.Repeat("x", 1200)
	if status, body := p.form("/api/add", [][2]string{{"title", "one"}}, [][3]string{{"files", "1.txt", half}, {"files", "2.txt", half}}); status != 413 {
		t.Errorf("status %d %s", status, body)
	}
	if left, err := filepath.Glob(filepath.Join(p.app.at.UploadsFolder(), ".upload-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// An extension may run code around the action that stores uploads.
func TestAnExtendedUploadStillStoresTheFiles(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{
		"site.json": `{"roles": {"public": {"plugin::upload.content-api": ["upload"]}}}`,
		"src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
			const { upload } = plugin.controllers['content-api'];
			plugin.controllers['content-api'].upload = async (ctx) => { await upload(ctx); ctx.set('X-Stored', String(ctx.body[0].name)); };
			return plugin;
		};`,
	})
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("files", "note.txt")
	if err == nil {
		_, err = io.WriteString(part, "kept")
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	r := p.request("POST", "/api/upload", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+p.token)
	response, body := p.exchange(r)
	if response.StatusCode != 201 || response.Header.Get("X-Stored") != "note.txt" || !strings.Contains(body, `"ext":".txt"`) {
		t.Error(response.StatusCode, response.Header, body, p.log)
	}
}

func TestStreamsAreBodies(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	for how, want := range map[string]string{"node": "one two", "file": "hello from the project", "web": "from the web", "generator": "ab", "gzip": "squeezed"} {
		if status, body := p.send("", "GET", "/api/stream/"+how, ""); status != 200 || body != want {
			t.Errorf("%s: %d %q", how, status, body)
		}
	}
	if status, body := p.send("", "GET", "/api/stream/none", ""); status != 404 {
		t.Errorf("a file that is missing: %d %s", status, body)
	}
	if status, body := p.send("", "GET", "/api/stream/endless", ""); status != 500 {
		t.Errorf("a stream without an end: %d %.100s", status, body)
	}
	if status, body := p.send("", "GET", "/api/stream/node", ""); status != 200 {
		t.Errorf("after it: %d %s", status, body)
	}
}

// The signature is that of the package keygrip, as in Strapi.
func TestCookiesAreSignedWithTheKeysOfTheServer(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	response, _ := p.exchange(p.request("GET", "/api/cookies/set", nil))
	set := strings.Join(response.Header.Values("Set-Cookie"), "\n")
	if want := "basket=b1; path=/; httponly\nbasket.sig=dnPDvU4hTHtydO1e5Hj0a2yXMU8; path=/; httponly\nplain=p; path=/; httponly"; set != want {
		t.Errorf("%s\nwant\n%s", set, want)
	}
	for cookie, want := range map[string]string{
		"basket=b1; basket.sig=dnPDvU4hTHtydO1e5Hj0a2yXMU8": `{"signed":"b1","raw":"b1"}`,
		"basket=b2; basket.sig=dnPDvU4hTHtydO1e5Hj0a2yXMU8": `{"signed":null,"raw":"b2"}`,
		"basket=b1": `{"signed":null,"raw":"b1"}`,
	} {
		r := p.request("GET", "/api/cookies/get", nil)
		r.Header.Set("Cookie", cookie)
		if _, body := p.exchange(r); body != want {
			t.Errorf("%s: %s", cookie, body)
		}
	}
}

func TestCompressionIsThereAndBounded(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	if _, body := p.send("", "GET", "/api/zlib", ""); body != `{"small":true,"round":true,"callback":true,"promise":true,"error":"Z_DATA_ERROR","known":"hello"}` {
		t.Error(body, p.log)
	}
	if _, body := p.send("", "GET", "/api/bomb", ""); body != `{"code":"ERR_BUFFER_TOO_LARGE"}` {
		t.Error(body)
	}
}

func TestAnIssuedJWTIsATextThatSignsIn(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	_, body := p.send("", "GET", "/api/jwt", "")
	var got struct {
		Kind, JWT string
		ID        bool
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.Kind != "string" || !got.ID {
		t.Fatal(err, body, p.log)
	}
	if status, body := p.send(got.JWT, "POST", "/api/photos", `{"data": {"title": "by ada"}}`); status != 201 || !strings.Contains(body, `"user":"ada@example.com"`) || !strings.Contains(body, `"how":"users-permissions"`) {
		t.Error(status, body)
	}
	if status, body := p.send("", "POST", "/api/auth/local", `{"identifier": "ada", "password": "secret1"}`); status != 200 {
		t.Error(status, body)
	}
	if status, body := p.send(got.JWT, "GET", "/api/photos", ""); status != 200 {
		t.Errorf("after a sign-in with the password: %d %s", status, body)
	}
	if _, body := p.send("", "GET", "/api/check", ""); !strings.Contains(body, `"was":false,"is":true`) || strings.Contains(body, "password") {
		t.Errorf("the password was changed: %s", body)
	}
}

// Strapi's requestContext says in a hook who writes, whichever way the write came in.
func TestHooksSeeTheRequestThatWrites(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	seen := func(token, path, body string) string {
		t.Helper()
		if status, answer := p.send(token, "POST", path, body); status > 201 {
			t.Fatal(status, answer, p.log)
		}
		_, list := p.send("", "GET", "/api/photos?sort=id:desc&pagination[limit]=1&fields=seen", "")
		return list
	}
	for _, test := range []struct{ token, path, body, want string }{
		{"", "/api/photos?x[0]=1&populate=*", `{"data": {"title": "rest"}}`, `{"method":"POST","url":"/api/photos?x[0]=1&populate=*","ip":"127.0.0.1","agent":"Go-http-client/1.1","how":"users-permissions"}`},
		{p.token, "/graphql", `{"query": "mutation { createPhoto(data: {title: \"graph\"}) { title } }"}`, `"url":"/graphql","ip":"127.0.0.1","agent":"Go-http-client/1.1","how":"api-token"`},
		{p.token, "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/photos", "body": {"data": {"title": "batch"}}}]}`, `"how":"api-token"`},
	} {
		if got := seen(test.token, test.path, test.body); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.path, got)
		}
	}
}

// What a middleware puts into the state of a request is there in hooks of Strapi's own actions.
func TestHooksSeeWhatMiddlewaresPutIntoTheRequest(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{
		"config/middlewares.js":   `module.exports = ['strapi::body', 'global::mark'];`,
		"src/middlewares/mark.js": `module.exports = () => async (ctx, next) => { ctx.state.mark = 'blue'; await next(); };`,
	})
	if _, body := p.send("", "POST", "/api/photos", `{"data": {"title": "marked"}}`); !strings.Contains(body, `"mark":"blue"`) {
		t.Error(body, p.log)
	}
}

func TestAFailureOfTheCodeHasTheIDOfItsLogLine(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	for _, r := range []*http.Request{p.request("GET", "/api/fail", nil), p.request("GET", "/api/fail-late", nil), p.request("POST", "/api/photos", strings.NewReader(`{"data": {"title": "fail"}}`))} {
		r.Header.Set("Content-Type", "application/json")
		response, body := p.exchange(r)
		id := response.Header.Get("X-Request-Id")
		if response.StatusCode != 500 || id == "" || strings.Contains(body, "not for clients") {
			t.Errorf("%s: %d id %q %s", r.URL, response.StatusCode, id, body)
		}
		found := false
		for line := range strings.Lines(p.log.String()) {
			found = found || strings.Contains(line, "id="+id) && strings.Contains(line, "not for clients")
		}
		if !found {
			t.Errorf("%s: no line of the log has %q and the error: %s", r.URL, id, p.log)
		}
	}
}

// A webhook's sender signs the body as it is sent; the settings of strapi::body ask for it.
func TestBodiesAreTextsFormsOrJSONAndUnparsedOnRequest(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{"config/middlewares.js": `module.exports = ['strapi::errors', { name: 'strapi::body', config: { includeUnparsed: true } }];`})
	for _, test := range []struct{ kind, body, want string }{
		{"application/json", `{"a":  1}`, `{"body":{"a":1},"raw":"{\"a\":  1}"}`},
		{"text/plain", "just text", `{"body":"just text","raw":null}`},
		{"application/x-www-form-urlencoded", "a[b]=1&c=d", `{"body":{"a":{"b":"1"},"c":"d"},"raw":"a[b]=1&c=d"}`},
	} {
		r := p.request("POST", "/api/body", strings.NewReader(test.body))
		r.Header.Set("Content-Type", test.kind)
		if _, body := p.exchange(r); body != test.want {
			t.Errorf("%s: %s", test.kind, body)
		}
	}
}

// As in Strapi, what a caller may not send is left out, and validateInput refuses it.
func TestSanitizedInputHasNoKeysThatTheCallerMayNotSend(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	_, body := p.send("", "POST", "/api/clean", `{"data": {"title": "<b>", "id": 5, "documentId": "x", "createdAt": "2020-01-01", "unknown": {"a": 1}, "seen": {"kept": [1.50]}}}`)
	if body != `{"seen":{"kept":[1.5]},"title":"<b>"}` {
		t.Error(body)
	}
}

func TestModelsHaveThePluginOptionsOfTheirSchema(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, nil)
	if _, body := p.send("", "GET", "/api/model", ""); body != `{"globalId":"Photo","pluginOptions":{"gallery":{"columns":3}}}` {
		t.Error(body)
	}
	r := p.request("GET", "/api/headers", nil)
	r.Header.Set("Accept-Language", "fr, de-CH;q=0.8, en;q=0.5")
	response, body := p.exchange(r)
	if response.Header.Get("ETag") != `"v1"` || response.Header.Get("Last-Modified") != "Thu, 01 Jan 1970 00:00:00 GMT" || body != "de" {
		t.Error(response.Header, body)
	}
}

// As in Strapi, a route that is open to everybody writes without permissions, and so does the
// code around a write, which has the rights of the site's owner.
func TestAnOpenRouteWritesWithTheRightsOfTheOwner(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"site.json":                                           `{"roles": {"public": {"api::line.line": ["create"]}}}`,
		"src/api/article/routes/article.js":                   `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::article.article', { config: { create: { auth: false } } });`,
		"src/api/line/content-types/line/lifecycles.js":       `module.exports = { async afterCreate({ result }) { if (result.what === 'publish') await strapi.documents('api::article.article').create({ data: { title: 'from a hook' }, status: 'published' }); } };`,
		"src/api/article/content-types/article/lifecycles.js": `module.exports = { afterFindMany() {} };`,
	})
	if status, body := p.send("", "POST", "/api/articles", `{"data": {"title": "open"}}`); status != 201 {
		t.Errorf("an open route: %d %s", status, body)
	}
	if status, body := p.send("", "POST", "/api/lines", `{"data": {"what": "publish"}}`); status != 201 {
		t.Errorf("a hook: %d %s", status, body)
	}
	if _, body := p.send(p.token, "GET", "/api/articles", ""); !strings.Contains(body, `"total":2`) {
		t.Error(body)
	}
}

// A middleware for all requests may refuse them. No header gets a request around it.
func TestNoHeaderGetsAroundAMiddleware(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{
		"config/middlewares.js":   `module.exports = ['strapi::errors', 'global::gate'];`,
		"src/middlewares/gate.js": `module.exports = () => async (ctx, next) => ctx.get('x-key') === 'right' ? next() : ctx.unauthorized('no key');`,
	})
	for _, h := range [][2]string{{"Accept", "text/event-stream"}, {"Content-Type", "multipart/form-data"}, {"Content-Type", "multipart/form-data; boundary=x"}, {"Content-Type", "multipart/mixed"}} {
		for path, open := range map[string]int{"/api/upload/files": 403, "/api/photos": 200, "/api/users/me": 403, "/api/nowhere": 404} {
			for key, want := range map[string]int{"wrong": 401, "right": open} {
				r := p.request("GET", path, nil)
				r.Header.Set(h[0], h[1])
				r.Header.Set("X-Key", key)
				if response, body := p.exchange(r); response.StatusCode != want {
					t.Errorf("%s with %s %q: %d %s, want %d", path, h[0], h[1], response.StatusCode, body, want)
				}
			}
		}
	}
	for _, path := range []string{"/api/openapi.json", "/api/docs"} { // Strapi has neither
		if response, body := p.exchange(p.request("GET", path, nil)); response.StatusCode != 403 || !strings.Contains(string(body), "Forbidden") {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	r := p.request("POST", "/api/photos", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n{}\r\n--x--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("X-Key", "right")
	if response, body := p.exchange(r); response.StatusCode != 400 {
		t.Errorf("a form for a route that takes none: %d %s", response.StatusCode, body)
	}
}

// What a client says about proxies before it counts only if it is a trusted proxy itself.
func TestOnlyTrustedProxiesSayThatTheClientUsesTLS(t *testing.T) {
	t.Parallel()
	for proxies, want := range map[string]string{``: "http 127.0.0.1", `"127.0.0.0/8"`: "https 198.51.100.7"} {
		p := newPhotoProject(t, map[string]string{
			"site.json":                `{"auth": {"trustedProxies": [` + proxies + `]}}`,
			"config/middlewares.js":    `module.exports = ['global::shown'];`,
			"src/middlewares/shown.js": `module.exports = () => (ctx) => { ctx.body = (ctx.secure ? 'https' : 'http') + ' ' + ctx.ip; };`,
		})
		r := p.request("GET", "/api/photos", nil)
		r.Header.Set("X-Forwarded-Proto", "https")
		r.Header.Set("X-Forwarded-For", "198.51.100.7")
		if _, body := p.exchange(r); body != want {
			t.Errorf("with the trusted proxies [%s], the code sees %s, want %s", proxies, body, want)
		}
	}
}

// The tag of a response says what the code made of it: whoever has the response for one visitor does
// not keep it for another one, and whoever has the same response gets 304.
func TestTagsOfResponsesThatTheCodeChanges(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{
		"config/middlewares.js":    `module.exports = ['strapi::errors', 'global::greet'];`,
		"src/middlewares/greet.js": `module.exports = () => async (ctx, next) => { await next(); ctx.body = { ...ctx.body, visitor: ctx.get('x-visitor') }; };`,
	})
	ask := func(reader, tag string) (int, string, string) {
		r := p.request("GET", "/api/photos", nil)
		r.Header.Set("X-Visitor", reader)
		r.Header.Set("If-None-Match", tag)
		response, body := p.exchange(r)
		return response.StatusCode, body, response.Header.Get("Etag")
	}
	for range 3 {
		status, body, tag := ask("ann", "")
		if status != 200 || !strings.Contains(body, `"visitor":"ann"`) || tag == "" {
			t.Fatalf("%d %s %q", status, body, tag)
		}
		if status, body, other := ask("bob", tag); status != 200 || !strings.Contains(body, `"visitor":"bob"`) || other == tag {
			t.Errorf("bob gets what ann got: %d %s", status, body)
		}
		if status, _, same := ask("ann", tag); status != 304 || same != tag {
			t.Errorf("ann has that response: %d %q", status, same)
		}
	}
}
