package strapi

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// projectOf is a project of these files, by their paths.
func projectOf(t *testing.T, files map[string]string) *Project {
	t.Helper()
	site := t.TempDir()
	put(t, site, "src/api/boat/services/boat.ts")
	for name, text := range files {
		put(t, site, name)
		if err := os.WriteFile(filepath.Join(site, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Read(site)
}

// settingsIn are the settings of a project, "path = value".
func settingsIn(p *Project) (list []string) {
	for _, s := range p.Settings {
		list = append(list, strings.Join(s.Path, ".")+" = "+string(s.Value))
	}
	return list
}

// why is what is left of a file; "gone" where the file is not listed.
func why(p *Project, file string) string {
	for _, one := range p.Ignored {
		if one.File == file {
			return one.Why
		}
	}
	return "gone"
}

func requireLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The settings of a project are those that its code states, with nested constants in their
// places.
func TestSettingsOfProjects(t *testing.T) {
	landing := Read("testdata/landing")
	requireLines(t, settingsIn(landing),
		`rest.defaultLimit = 30`, `rest.maxLimit = 250`, `responses.privateAttributes = ["createdAt"]`,
		`defaults.api::page.page.populate = {"blocks":{"on":{"block.banner":{"populate":"*"},"block.tours":true}}}`,
		`defaults.api::tour.tour.populate = {"photo":true,"blocks":{"on":{"block.banner":{"populate":{"buttons":true}},"block.tours":{"populate":{"tours":{"populate":{"photo":true}}}}}}}`,
	)
	if got := why(landing, "config/admin.ts"); got != "left: preview (line 5)" {
		t.Error(got)
	}
	if got := why(landing, "src/api/tour/routes/tour.ts"); got != "`quire adopt` writes defaults.api::tour.tour.populate to site.json" {
		t.Error(got)
	}
	magazine := Read("testdata/magazine")
	requireLines(t, settingsIn(magazine), `limits.bodyBytes = 10485760`, `upload.sizeLimit = 15000000`, `graphql.enabled = true`, `graphql.depthLimit = 7`,
		`defaults.api::story.story.populate = {"picture":true,"author":{"populate":["photo"]}}`)
	var guarded []string
	for _, g := range magazine.Guarded {
		guarded = append(guarded, g.UID+" "+g.Action+" "+g.File)
	}
	requireLines(t, guarded, "api::letter.letter find src/api/letter/controllers/letter.js", "api::letter.letter delete src/api/letter/routes/letter.js",
		"api::letter.letter create src/api/letter/routes/letter.js", "api::letter.letter update src/api/letter/routes/letter.js")
	for file, want := range map[string]string{
		"config/middlewares.js": "left: strapi::cors (line 3), global::trace (line 4)",
		"config/plugins.js":     "`quire adopt` writes graphql.depthLimit to site.json", "src/middlewares/trace.js": "line 3 is not understood",
		"src/api/letter/routes/letter.js": "it leaves out routes",
	} {
		if got := why(magazine, file); got != want {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// What site.json says is dealt with, whatever it says; what it does not say is left.
func TestFilesThatSiteJSONCovers(t *testing.T) {
	files := map[string]string{
		"config/api.js": `module.exports = { rest: { maxLimit: 50 } }`,
		"site.json":     `{"rest": {"maxLimit": 70}}`,
	}
	if got := why(projectOf(t, files), "config/api.js"); got != "gone" {
		t.Error(got)
	}
	files["site.json"] = `{"rest": {"defaultLimit": 20}}`
	if got := why(projectOf(t, files), "config/api.js"); got != "`quire adopt` writes rest.maxLimit to site.json" {
		t.Error(got)
	}
	files["site.json"] = `{`
	if got := why(projectOf(t, files), "config/api.js"); got == "gone" {
		t.Error("a broken site.json covers nothing")
	}
}

// middlewareOf is a middleware with statements in it.
func middlewareOf(body string) string {
	return "const populate = { a: true };\nexport default (config, { strapi }) => {\n  return async (ctx, next) => {\n" + body + "\n  };\n};\n"
}

// A middleware is understood in its usual forms, and only as a whole.
func TestMiddlewares(t *testing.T) {
	const next = "\n await next();"
	for body, want := range map[string]string{
		"ctx.query.populate = populate;" + next:                                                        `{"a":true}`,
		"ctx.query.populate = { ...populate, b: { populate: '*' } };" + next:                           `{"a":true,"b":{"populate":"*"}}`,
		"ctx.query = { populate, ...ctx.query };\n return next();":                                     `{"a":true}`,
		"ctx.query = { ...ctx.query, populate: ['a', 'b'] };\n return await next();":                   `["a","b"]`,
		"if (!ctx.query.populate) ctx.query.populate = 'a';" + next:                                    `"a"`,
		"if (!ctx.query?.populate) { ctx.query.populate = '*' }" + next:                                `"*"`,
		"ctx.query.populate = ctx.query.populate || populate;" + next:                                  `{"a":true}`,
		"ctx.query.populate ??= populate" + next:                                                       `{"a":true}`,
		"const more = { b: true };\n console.log(ctx.query);\n ctx.query.populate = more;" + next:      `{"b":true}`,
		"ctx.query.populate = { a: true };\n if (!ctx.query.populate) ctx.query.populate = 'x'" + next: `{"a":true}`,

		"ctx.query.populate = deep(ctx);" + next:                                                  "",
		"ctx.query.populate = { a: ctx.state.user };" + next:                                      "",
		"ctx.query.populate = populate;":                                                          "",
		"ctx.query.filters = { a: 1 };" + next:                                                    "",
		"ctx.query = { populate };" + next:                                                        "",
		"if (ctx.state.user) ctx.query.populate = populate;" + next:                               "",
		"if (!ctx.state.user) return ctx.unauthorized();\n ctx.query.populate = populate;" + next: "",
		"if (!ctx.query.sort) ctx.query.populate = populate;" + next:                              "",
		"const user = await load(ctx);\n ctx.query.populate = populate;" + next:                   "",
		"ctx.query.populate = populate;" + next + "\n ctx.body.extra = 1;":                        "",
		"populate.b = true;\n ctx.query.populate = populate;" + next:                              "",
		"ctx.query.populate = true;" + next:                                                       "",
		"if (!ctx.query.populate) await next();\n ctx.query.populate = populate;":                 "",
	} {
		p := projectOf(t, map[string]string{
			"src/api/boat/middlewares/berths.ts": middlewareOf(body),
			"src/api/boat/routes/boat.ts":        "export default factories.createCoreRouter('api::boat.boat', { config: { find: { middlewares: ['api::boat.berths'] }, findOne: { middlewares: ['api::boat.berths'] } } });",
		})
		var got []string
		for _, s := range p.Settings {
			got = append(got, string(s.Value))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\n  sets %q and not %q", body, got, want)
		}
		if left := why(p, "src/api/boat/middlewares/berths.ts"); want == "" && !strings.Contains(left, "underst") {
			t.Errorf("%s\n  is listed with %q", body, left)
		}
		if guards := len(p.Guarded) > 0; guards != (want == "") {
			t.Errorf("%s\n  guards %v", body, p.Guarded)
		}
	}
}

// Routes decide which middlewares count, and for which action.
func TestRouters(t *testing.T) {
	files := map[string]string{
		"src/api/boat/middlewares/a.ts": middlewareOf("ctx.query.populate = 'a';\n await next()"),
		"src/api/boat/middlewares/b.ts": middlewareOf("if (!ctx.query.sort) ctx.query.sort = 'b';\n if (!ctx.query.populate) ctx.query.populate = 'b';\n await next()"),
		"src/middlewares/c.ts":          middlewareOf("ctx.query.populate = 'c';\n await next()"),
	}
	for options, want := range map[string]struct{ settings, left string }{
		"config: { find: { middlewares: ['api::boat.a', 'api::boat.b'] }, findOne: { middlewares: ['api::boat.a', 'api::boat.b'], policies: [] } }": {`populate = "a" sort = "b"`, "`quire adopt` writes"},
		"config: { find: { middlewares: ['api::boat.a', 'global::c'] }, findOne: { middlewares: ['global::c'] } }":                                  {`populate = "c"`, "`quire adopt` writes"},
		"config: { find: { middlewares: ['api::boat.a'] }, findOne: { middlewares: ['global::c'] } }":                                               {`find.populate = "a" findOne.populate = "c"`, "`quire adopt` writes"},
		"config: { findOne: { middlewares: ['api::boat.a'] } }":                                                                                     {`findOne.populate = "a"`, "`quire adopt` writes"},
		"config: { find: { middlewares: ['api::boat.a', 'plugin::cache.x'] }, findOne: { middlewares: ['api::boat.a'] } }":                          {`populate = "a"`, "it has more than middlewares"},
		"config: { find: { middlewares: [(ctx, next) => next()] } }":                                                                                {"", "it has more than middlewares"},
		"...more":                  {"", "it leaves out routes"},
		"only: ['find']":           {"", "it leaves out routes"},
		"only: readable":           {"", "it leaves out routes"},
		"except: ['delete'], b: 1": {"", "it leaves out routes"},
	} {
		files["src/api/boat/routes/boat.ts"] = "export default factories.createCoreRouter('api::boat.boat', { " + options + " });"
		p := projectOf(t, files)
		if got := strings.ReplaceAll(strings.Join(settingsIn(p), " "), "defaults.api::boat.boat.", ""); got != want.settings {
			t.Errorf("%s\n  sets %s", options, got)
		}
		if got := why(p, "src/api/boat/routes/boat.ts"); !strings.HasPrefix(got, want.left) {
			t.Errorf("%s\n  is listed with %q", options, got)
		}
	}
}

// The settings of GraphQL are taken over where Quire has them, and its plugin is on where it
// is installed or named.
func TestSettingsOfGraphQL(t *testing.T) {
	const installed = `{"dependencies": {"@strapi/strapi": "5.18.1", "@strapi/plugin-graphql": "5.18.1"}}`
	for config, want := range map[string]struct{ settings, left string }{
		`{}`:                            {"graphql.enabled = true", "gone"},
		`{ graphql: true }`:             {"graphql.enabled = true", "gone"},
		`{ graphql: false }`:            {"", "gone"},
		`{ graphql: {enabled: false} }`: {"", "gone"},
		`{ graphql: { config: { endpoint: "/api/query", shadowCRUD: true, playgroundAlways: true, depthLimit: 7, defaultLimit: 25, maxLimit: -1, amountLimit: 100, apolloServer: { introspection: false, tracing: false } } } }`: {
			`graphql.enabled = true graphql.endpoint = "/api/query" graphql.depthLimit = 7 graphql.defaultLimit = 25 graphql.amountLimit = 100 graphql.introspection = false`, "written"},
		`{ graphql: { config: { shadowCRUD: false, depthLimit: 100 } } }`: {"graphql.enabled = true", "left: graphql.config.shadowCRUD (line 1), graphql.config.depthLimit (line 1)"},
	} {
		p := projectOf(t, map[string]string{"package.json": installed, "config/plugins.js": "module.exports = " + config})
		if got := strings.Join(settingsIn(p), " "); got != want.settings {
			t.Errorf("%s sets %s", config, got)
		}
		got := why(p, "config/plugins.js")
		if want.left == "written" {
			got = strings.TrimPrefix(got, "`quire adopt` ")[:len("written")]
			want.left = "writes "
		}
		if got != want.left && !strings.HasPrefix(got, "`quire adopt` writes graphql.enabled") {
			t.Errorf("%s is listed with %q", config, got)
		}
	}
}
