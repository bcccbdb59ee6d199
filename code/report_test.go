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

// What cannot run is named with its file and line when the project is loaded: all of it at
// once, as far as the project can be read.
func TestWhatDoesNotLoad(t *testing.T) {
	for _, c := range []struct {
		name, files       string
		problems, reports []string
	}{
		{"files that cannot be read", `
-- src/index.js --

const knex = require('knex');
-- src/policies/a.js --
module.exports = {
  a: ,
};
`, []string{"src/index.js:2: knex cannot run here", "src/policies/a.js:2: "}, []string{"src/index.js: does not run, line 2: knex cannot run here", "src/policies/a.js: does not run, line 2: "}},
		{"files that define what is not there", handler("return 1;") + `
-- src/policies/a.js --


throw new Error('not today');
-- src/api/x/controllers/none.js --
module.exports = require('@strapi/strapi').factories.createCoreController('api::x.x');
-- src/api/x/routes/y.js --
const route = (handler, config) => ({ method: 'GET', path: '/y', handler, config });
module.exports = { routes: [route('x.none'), route(() => 1, { policies: ['none'] }), route(() => 1, { middlewares: ['global::none'] }), route('none.find')] };
-- src/api/x/routes/z.js --
module.exports = { type: 'admin', routes: [] };
-- src/extensions/documentation/strapi-server.js --
module.exports = (plugin) => plugin;
`, []string{
			"src/policies/a.js:3: not today", `src/api/x/routes/y.js: GET /api/y: There is no handler "x.none"`, `There is no policy "none"`, `There is no middleware "global::none"`,
			"there is no content type api::x.x", "src/api/x/routes/z.js: routes of the type admin do not run", "src/extensions/documentation/strapi-server.js: an extension of documentation does not run",
		}, []string{"src/policies/a.js: does not run, line 3: not today", "src/api/x/routes/y.js: does not run, GET /api/y", "src/api/x/routes/x.js: runs"}},
		{"a path that is wrong", `
-- src/api/x/routes/x.js --
module.exports = { routes: [{ method: 'GET', path: '/y/:id(', handler: () => 1 }, { method: 'FIND', path: '/z', handler: () => 1 }] };
`, []string{"src/api/x/routes/x.js: the path /api/y/:id(: a group is not closed", `the route /api/z has the method "FIND", which is none`}, nil},
		{"a register that throws", `
-- src/index.js --
module.exports = {
  register() { strapi.admin.services; },
};
`, []string{"src/index.js:2: strapi.admin is not there: the admin is part of the program"}, []string{"src/index.js: does not run, line 2: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems, reports := refused(t, c.files)
			for _, want := range c.problems {
				if !strings.Contains(problems, want) {
					t.Errorf("the problems are\n%s\nwithout\n%s", problems, want)
				}
			}
			for _, want := range c.reports {
				if !strings.Contains(reports, want) {
					t.Errorf("the reports are\n%s\nwithout\n%s", reports, want)
				}
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
export const c = () => [strapi.query('plugin::users-permissions.permission').count(), strapi.documents('plugin::users-permissions.permission')];
export const d = 'https://docs.strapi.io, https://strapi.io';
-- config/server.js --
module.exports = {};
`)
	p, err := Load(o)
	check(t, err)
	defer p.Close()
	const sql = "strapi.db.connection is not there: there is no SQL database; use strapi.documents or strapi.db.query"
	want := "config/server.js: runs\nsrc/index.js: runs in part, line 3: " + sql + "; line 5: " + sql + "\nsrc/lib/uses.ts: runs in part, line 1: there is no plugin documentation; line 3: there is no content type plugin::users-permissions.permission\nsrc/lib/words.js: runs"
	if got := reportText(p.Reports()); got != want {
		t.Errorf("the reports are\n%s\nand not\n%s", got, want)
	}
}

// What a project adds to GraphQL or leaves out does nothing where GraphQL is off. Where it is on,
// that stops the load: what was left out would be shown.
func TestExtensionsOfGraphQL(t *testing.T) {
	o, _ := optionsOf(t, `
-- src/index.js --
module.exports = { register({ strapi }) {
  const extension = strapi.plugin('graphql').service('extension');
  extension.shadowCRUD('api::x.x').field('secret').disableOutput().disable();
  extension.use(({ nexus }) => ({ types: [nexus.objectType({})] }));
  strapi.service('plugin::graphql.extension').use({});
} };
`)
	p, err := Load(o)
	check(t, err)
	p.Close()
	if got, want := reportText(p.Reports()), "src/index.js: runs in part, line 2: the schema of GraphQL stays that of the content types"; got != want {
		t.Errorf("the report is %s, want %s", got, want)
	}
	o.Site.Settings.GraphQL.Enabled = true
	if _, err = Load(o); err == nil || !strings.Contains(err.Error(), "src/index.js:3: strapi.plugin('graphql').service('extension').shadowCRUD is not there") {
		t.Errorf("with GraphQL, the load says %v", err)
	}
}

// What strapi lacks throws an error that names it.
func TestWhatStrapiLacks(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	r.evaluate(`return Object.keys(strapi.plugins).sort().join(' ')`, `"`+strings.Join(plugins, " ")+`"`) // those that reports count as there
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

// The settings of a project are evaluated although its other code is broken. What is wrong with
// the settings themselves is named with its line.
func TestSettingsOfABrokenProject(t *testing.T) {
	o, _ := optionsOf(t, "-- src/index.js --\nmodule.exports = {{;\n-- config/api.js --\nconst limit = 10 * 2;\nmodule.exports = { rest: { maxLimit: limit }, on: () => 1 };\n")
	got, err := Settings(t.Context(), o)
	if want := `{"api":{"rest":{"maxLimit":20},"on":"[function]"}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	o, _ = optionsOf(t, "-- config/api.js --\n\nmodule.exports = () => none.at.all;\n")
	if _, err := Settings(t.Context(), o); err == nil || !strings.Contains(err.Error(), "config/api.js:2: ") {
		t.Errorf("%v", err)
	}
	o, _ = optionsOf(t, "")
	if _, err := Settings(t.Context(), o); !errors.Is(err, ErrNoCode) {
		t.Errorf("%v", err)
	}
}
