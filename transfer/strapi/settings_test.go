package strapi

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// projectOf is a project with files of config, which say what is given as JSON.
func projectOf(t *testing.T, values string, files ...string) *Project {
	t.Helper()
	site := t.TempDir()
	put(t, site, "src/api/boat/services/boat.ts")
	put(t, site, files...)
	p := Read(site)
	check(t, p.Evaluate([]byte(values), "production"))
	return p
}

// settingsIn are the settings of a project, "path = value".
func settingsIn(p *Project) (list []string) {
	for _, s := range p.Settings {
		list = append(list, strings.Join(s.Path, ".")+" = "+string(s.Value))
	}
	return list
}

// why is what is left of a file with a site.json; "gone" where the file is not listed.
func why(p *Project, file, siteJSON string) string {
	for _, one := range p.Ignored([]byte(siteJSON), true) {
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

// What site.json says is dealt with, whatever it says; what it does not say is left.
func TestFilesThatSiteJSONCovers(t *testing.T) {
	p := projectOf(t, `{"api": {"rest": {"maxLimit": 50}}}`, "config/api.js")
	const missing = "`quire adopt` writes rest.maxLimit to site.json"
	for site, want := range map[string]string{`{"rest": {"maxLimit": 70}}`: "gone", `{"rest": {"defaultLimit": 20}}`: missing, `{`: missing, ``: missing} {
		if got := why(p, "config/api.js", site); got != want {
			t.Errorf("with %q: %s", site, got)
		}
	}
}

// What a new project has in config changes nothing; what is added to it is named.
func TestGeneratedConfig(t *testing.T) {
	for name, text := range map[string]string{
		"admin":       `{"auth": {"secret": "s"}, "apiToken": {"salt": "s"}, "transfer": {"token": {"salt": "s"}}, "secrets": {"encryptionKey": "s"}, "flags": {"nps": true, "promoteEE": true}ADDED}`,
		"api":         `{"rest": {"defaultLimit": 25, "maxLimit": 100, "withCount": true, "strictParams": true}, "documents": {"strictParams": true}ADDED}`,
		"server":      `{"host": "0.0.0.0", "port": 1337, "app": {"keys": ["a"]}, "webhooks": {"populateRelations": false}ADDED}`,
		"middlewares": `["strapi::logger", "strapi::errors", "strapi::security", "strapi::cors", "strapi::poweredBy", "strapi::query", "strapi::body", "strapi::session", "strapi::favicon", "strapi::public", "global::stamp"LISTED]`,
		"plugins":     `{"users-permissions": {"config": {"jwtManagement": "refresh", "sessions": {"httpOnly": true}}}, "upload": {"config": {"security": {"allowedTypes": ["image/*"], "deniedTypes": ["image/svg+xml"]}}}ADDED}`,
	} {
		for added, want := range map[bool]string{false: "gone", true: "left: added"} {
			more := strings.NewReplacer("ADDED", "", "LISTED", "")
			if added {
				more = strings.NewReplacer("ADDED", `, "added": "[function]"`, "LISTED", `, "added"`)
			}
			file := "config/" + name + ".ts"
			if got := why(projectOf(t, `{"`+name+`": `+more.Replace(text)+`}`, file), file, ""); got != want {
				t.Errorf("%s is listed with %q", more.Replace(text), got)
			}
		}
	}
	database := "const path = require('path');\nmodule.exports = ({ env }) => ({ connection: { client: env('DATABASE_CLIENT', 'sqlite'), connection: { filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')) }, acquireConnectionTimeout: env.int('DATABASE_CONNECTION_TIMEOUT', 60000) } });"
	for text, want := range map[string]string{database: "gone", strings.Replace(database, "60000", "90000", 1): ""} {
		site := t.TempDir()
		put(t, site, "src/api/boat/services/boat.ts", "config/database.js")
		check(t, os.WriteFile(filepath.Join(site, "config/database.js"), []byte(text), 0o600))
		if got := why(Read(site), "config/database.js", ""); got != want {
			t.Errorf("%s is listed with %q", text, got)
		}
	}
}

// Settings of config become those of site.json, each in its unit; what cannot is named.
func TestConfig(t *testing.T) {
	for _, test := range []struct{ values, settings, left string }{
		{`{"api": {"rest": {"defaultLimit": 500}}}`, "rest.defaultLimit = 500 rest.maxLimit = 500", ""},
		{`{"api": {"rest": {"defaultLimit": 50, "maxLimit": 20, "withCount": false}}}`, "rest.defaultLimit = 20 rest.maxLimit = 20 rest.withCount = false", ""},
		{`{"api": {"rest": {"maxLimit": -1, "prefix": "/v1"}}}`, "", "left: rest.maxLimit, rest.prefix"},
		{`{"api": {"rest": {"maxLimit": 2.5}}}`, "", "left: rest.maxLimit"},
		{`{"api": "[function]"}`, "", "left: a part"},
		{`{"middlewares": [{"name": "strapi::body", "config": {"jsonLimit": "1.5mb", "formLimit": "2mb", "encoding": "x"}}]}`, "limits.bodyBytes = 1572864", "left: encoding"},
		{`{"middlewares": [{"name": "strapi::cors"}, {"name": "strapi::security", "config": {}}, {"name": "strapi::poweredBy", "config": {"poweredBy": "x"}}]}`, "", "gone"},
		{`{"middlewares": [{"name": "strapi::cors", "config": {"origin": ["*"]}}, {"name": "strapi::cors", "config": {"origin": "*"}}]}`, "", "gone"},
		{`{"middlewares": [{"name": "strapi::cors", "config": {"origin": ["https://example.org"]}}]}`, "", "left: strapi::cors"},
		{`{"middlewares": [{"name": "strapi::cors", "config": {"origin": "*", "credentials": true}}]}`, "", "left: strapi::cors"},
		{`{"middlewares": [{"name": "strapi::cors", "config": {"origin": "[function]"}}]}`, "", "left: strapi::cors"},
		{`{"middlewares": {"a": 1}}`, "", "left: a part"},
		{`{"middlewares": ["plugin::a.b", {"resolve": "./x"}, "global::c", {"name": "api::a.b", "config": {"d": 1}}]}`, "", "left: plugin::a.b, a part"},
		{`{"admin": {"preview": {"enabled": true, "config": {"handler": "[function]"}}}}`, "", "left: preview"},
		{`{"plugins": {"users-permissions": {"config": {"jwt": {"expiresIn": "7d"}, "register": {"allowedFields": ["nickname"]}}}, "email": {"config": {"provider": "smtp"}}}}`, `auth.jwt.lifetime = "7d" auth.register.allowedFields = ["nickname"]`, "left: email.config.provider"},
		{`{"plugins": {"upload": {"config": {"provider": "aws-s3", "security": {"allowedTypes": ["**"]}}}}}`, "", "left: upload.config.provider, upload.config.security.allowedTypes"},
		{`{"plugins": {"a": {"enabled": true, "resolve": "./src/plugins/a", "config": {"b": 1}}, "c": {"enabled": true, "resolve": "strapi-c"}}}`, "", "left: c"},
		{`{"middlewares": ["plugin::a.b", "plugin::c.d"], "plugins": {"a": {"enabled": true, "resolve": "./src/plugins/a"}}}`, "", "left: plugin::c.d"},
		{`{"plugins": {"seo": {"enabled": true, "config": {"depthLimit": 7}}, "documentation": {"enabled": false}}}`, "", "left: seo"},
		{`{"server": {"url": "https://cms.example.org", "port": 1338, "cron": {"enabled": true, "tasks": {"a": "[function]"}}}}`, `url = "https://cms.example.org"`, "left: port"},
	} {
		name := test.values[2 : strings.Index(test.values[2:], `"`)+2]
		p := projectOf(t, test.values, "config/"+name+".js")
		if got := strings.Join(settingsIn(p), " "); got != test.settings {
			t.Errorf("%s\n  sets %s", test.values, got)
		}
		want := test.left
		if want == "" {
			want = "`quire adopt` writes " + strings.Join(p.Settings[len(p.Settings)-1].Path, ".") + " to site.json"
		}
		if got := why(p, "config/"+name+".js", ""); got != want {
			t.Errorf("%s\n  is listed with %q", test.values, got)
		}
	}
}

// Of the files of one environment, those of the one that is served count.
func TestConfigOfAnEnvironment(t *testing.T) {
	p := projectOf(t, `{"api": {"rest": {"maxLimit": 20}}}`, "config/api.js", "config/env/production/api.js", "config/env/staging/api.js")
	requireLines(t, settingsIn(p), "rest.maxLimit = 20")
	const site = `{"rest": {"maxLimit": 20}}`
	for file, want := range map[string]string{"config/api.js": "gone", "config/env/production/api.js": "gone", "config/env/staging/api.js": "settings of another environment than production"} {
		if got := why(p, file, site); got != want {
			t.Errorf("%s is listed with %q", file, got)
		}
	}
	requireLines(t, p.Settings[0].Files, "config/api.js", "config/env/production/api.js")
}

// Of several limits for uploads the smallest counts.
func TestLimitsOfSeveralFiles(t *testing.T) {
	p := projectOf(t, `{"middlewares": [{"name": "strapi::body", "config": {"formidable": {"maxFileSize": 20000000}}}], "plugins": {"upload": {"config": {"sizeLimit": 15000000}}}}`, "config/middlewares.js", "config/plugins.js")
	requireLines(t, settingsIn(p), "upload.sizeLimit = 15000000")
	requireLines(t, p.Settings[0].Files, "config/middlewares.js", "config/plugins.js")
}

// What the code of a project decides about is known without running it.
func TestGuarded(t *testing.T) {
	site := t.TempDir()
	put(t, site, "src/api/boat/controllers/boat.ts", "src/api/pier/routes/01.ts", "src/api/crew/policies/a.ts", "src/api/tide/services/tide.ts", "src/extensions/users-permissions/strapi-server.ts")
	var list []string
	for owner, file := range Read(site).Guarded() {
		list = append(list, owner+" "+file)
	}
	slices.Sort(list)
	requireLines(t, list, "api::boat src/api/boat/controllers/boat.ts", "api::crew src/api/crew/policies/a.ts", "api::pier src/api/pier/routes/01.ts",
		"plugin::users-permissions src/extensions/users-permissions/strapi-server.ts")
}

// The settings of GraphQL are taken over where Quire has them, and its plugin is on where it
// is installed or named.
func TestSettingsOfGraphQL(t *testing.T) {
	const written = "`quire adopt` writes graphql."
	for config, want := range map[string]struct{ settings, left string }{
		`{}`:                              {"graphql.enabled = true", "gone"},
		`{"graphql": true}`:               {"graphql.enabled = true", written},
		`{"graphql": false}`:              {"", "gone"},
		`{"graphql": {"enabled": false}}`: {"", "gone"},
		`{"graphql": {"config": {"endpoint": "/api/query", "shadowCRUD": true, "playgroundAlways": true, "depthLimit": 7, "defaultLimit": 25, "maxLimit": -1, "amountLimit": 100, "apolloServer": {"introspection": false, "tracing": false}}}}`: {
			`graphql.enabled = true graphql.amountLimit = 100 graphql.introspection = false graphql.defaultLimit = 25 graphql.depthLimit = 7 graphql.endpoint = "/api/query"`, written},
		`{"graphql": {"config": {"shadowCRUD": false, "depthLimit": 100}}}`: {"graphql.enabled = true", "left: graphql.config.depthLimit, graphql.config.shadowCRUD"},
	} {
		site := t.TempDir()
		put(t, site, "config/plugins.js")
		check(t, os.WriteFile(filepath.Join(site, "package.json"), []byte(`{"dependencies": {"@strapi/strapi": "5.18.1", "@strapi/plugin-graphql": "5.18.1"}}`), 0o600))
		p := Read(site)
		check(t, p.Evaluate([]byte(`{"plugins": `+config+`}`), "production"))
		if got := strings.Join(settingsIn(p), " "); got != want.settings {
			t.Errorf("%s sets %s", config, got)
		}
		if got := why(p, "config/plugins.js", ""); !strings.HasPrefix(got, want.left) {
			t.Errorf("%s is listed with %q", config, got)
		}
	}
}
