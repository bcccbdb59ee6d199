package code

import (
	"errors"
	"strings"
	"testing"
)

// refused loads a project that does not load, and returns its problems and its reports.
func refused(t *testing.T, text string) (problems, reports string) {
	t.Helper()
	o, _ := optionsOf(t, text)
	p, err := Load(o)
	if err == nil {
		p.Close()
		t.Fatal("the project loads")
	}
	var wrong *Error
	if !errors.As(err, &wrong) {
		t.Fatalf("%T %v", err, err)
	}
	return wrong.Error(), reportText(wrong.Reports)
}

func reportText(reports []Report) string {
	var lines []string
	for _, r := range reports {
		lines = append(lines, strings.TrimSuffix(r.File+": "+string(r.Verdict)+", "+r.Why, ", "))
	}
	return strings.Join(lines, "\n")
}

// What cannot run is named with its file and line when the project is loaded.
func TestWhatDoesNotLoad(t *testing.T) {
	for _, c := range []struct{ name, files, want, report string }{
		{"a package that is missing", "-- src/index.js --\n\nconst knex = require('knex');", `src/index.js:2: knex cannot run here`, "src/index.js: does not run, line 2: knex cannot run here"},
		{"a syntax error", "-- src/index.js --\nmodule.exports = {\n  a: ,\n};", "src/index.js:2: ", "src/index.js: does not run, line 2: "},
		{"an error while a module loads", "-- src/index.js --\nmodule.exports = {};\n-- src/policies/a.js --\n\n\nthrow new Error('not today');", "src/policies/a.js:3: not today", "src/policies/a.js: does not run, line 3: not today"},
		{"a handler that is not there", handler("return 1;") + "-- src/api/x/routes/y.js --\nmodule.exports = { routes: [{ method: 'GET', path: '/y', handler: 'x.none' }] };", `src/api/x/routes/y.js: GET /api/y: There is no handler "x.none"`, `src/api/x/routes/y.js: does not run, GET /api/y`},
		{"a policy that is not there", "-- src/api/x/routes/x.js --\nmodule.exports = { routes: [{ method: 'GET', path: '/y', handler: () => 1, config: { policies: ['none'] } }] };", `src/api/x/routes/x.js: GET /api/y: There is no policy "none"`, ""},
		{"a middleware that is not there", "-- src/api/x/routes/x.js --\nmodule.exports = { routes: [{ method: 'GET', path: '/y', handler: () => 1, config: { middlewares: ['global::none'] } }] };", `There is no middleware "global::none"`, ""},
		{"a content type that is not there", "-- src/api/x/controllers/x.js --\nmodule.exports = require('@strapi/strapi').factories.createCoreController('api::x.x');\n-- src/api/x/routes/x.js --\nmodule.exports = { routes: [{ method: 'GET', path: '/y', handler: 'x.find' }] };", "there is no content type api::x.x", ""},
		{"routes of the admin panel", "-- src/api/x/routes/x.js --\nmodule.exports = { type: 'admin', routes: [] };", "src/api/x/routes/x.js: routes of the type admin do not run", ""},
		{"a path that is wrong", "-- src/api/x/routes/x.js --\nmodule.exports = { routes: [{ method: 'GET', path: '/y/:id(', handler: () => 1 }] };", "the path /api/y/:id(: a group is not closed", ""},
		{"register that throws", "-- src/index.js --\nmodule.exports = {\n  register() { strapi.admin.services; },\n};", "strapi.admin is not there: the admin is part of the program", ""},
		{"an extension of a plugin that is missing", "-- src/extensions/documentation/strapi-server.js --\nmodule.exports = (plugin) => plugin;", "src/extensions/documentation/strapi-server.js: an extension of documentation does not run", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems, reports := refused(t, c.files)
			if !strings.Contains(problems, c.want) || !strings.Contains(reports, c.report) {
				t.Errorf("the problems are\n%s\nwithout\n%s\nor the reports\n%s\nwithout\n%s", problems, c.want, reports, c.report)
			}
		})
	}
}

// A report says of each file whether it runs, and names with lines what is missing.
func TestReports(t *testing.T) {
	o, _ := optionsOf(t, `
-- src/index.js --
module.exports = {
  bootstrap({ strapi }) {
    return strapi.db.connection.raw('select 1');
  },
  destroy: () => strapi.db?.connection,
};
-- src/lib/words.js --
exports.a = 1;
-- src/lib/uses.ts --
export const a = () => strapi.plugin('documentation').service('x');
export const b = () => [strapi.plugins['email'], strapi.plugin("upload"), strapi.documents('api::note.note')];
export const c = () => strapi.db.query('plugin::users-permissions.permission').count();
-- src/plugins/own/server/index.js --
module.exports = {};
-- config/server.js --
module.exports = {};
`)
	reports, err := Check(o)
	if err != nil {
		t.Fatal(err)
	}
	const sql = "strapi.db.connection is not there: there is no SQL database; use strapi.documents or strapi.db.query"
	want := "config/server.js: runs\nsrc/index.js: runs in part, line 3: " + sql + "; line 5: " + sql + "\nsrc/lib/uses.ts: runs in part, line 1: there is no plugin documentation; line 3: there is no content type plugin::users-permissions.permission\nsrc/lib/words.js: runs\nsrc/plugins/own/server/index.js: does not run, plugins of a project do not run"
	if got := reportText(reports); got != want {
		t.Errorf("the reports are\n%s\nand not\n%s", got, want)
	}
	none, _ := optionsOf(t, "")
	if reports, err := Check(none); reports != nil || err != nil {
		t.Error(reports, err)
	}
}

// The plugins that reports count as there are those of the runtime.
func TestPluginsOfReports(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	r.evaluate(`return Object.keys(strapi.plugins).sort().join(' ')`, `"`+strings.Join(plugins, " ")+`"`)
}

// What strapi lacks throws an error that names it.
func TestWhatStrapiLacks(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	for script, want := range map[string]string{
		`strapi.db.connection`:                                          "strapi.db.connection is not there",
		`strapi.server.httpServer`:                                      "strapi.server.httpServer is not there",
		`strapi.plugin('documentation').service('x')`:                   "strapi.plugin('documentation').service('x') is not there",
		`strapi.plugin('email').service('email').none`:                  "strapi.plugin('email').service('email').none is not there",
		`strapi.documents('api::none.none')`:                            "There is no content type api::none.none",
		`strapi.documents('api::tag.tag').publish({ documentId: 'a' })`: "not a function",
		`strapi.get('webhooks')`:                                        "strapi.get('webhooks') is not there",
	} {
		if _, err := r.Evaluate(t.Context(), script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nand not %s", script, err, want)
		}
	}
}
