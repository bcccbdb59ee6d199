package strapi

import (
	"strings"
	"testing"
)

// What a new project has in config changes nothing, in each of its forms.
func TestGeneratedConfig(t *testing.T) {
	secrets := "auth: { secret: env('ADMIN_JWT_SECRET')! }, apiToken: { salt: env('API_TOKEN_SALT') }, transfer: { token: { salt: env('TRANSFER_TOKEN_SALT') } }, secrets: { encryptionKey: env('ENCRYPTION_KEY') }, flags: { nps: env.bool('FLAG_NPS', true), promoteEE: env.bool('FLAG_PROMOTE_EE', true) }"
	database := "const client = env('DATABASE_CLIENT', 'sqlite');\n if (!isDatabaseClientKind(client)) { throw new Error(`No ${client}.`); }\n const connections: Record<Core.Config.Database.ClientKind, Core.Config.Database['connection']> = { sqlite: { connection: { filename: path.join(__dirname, '..', '..', env('DATABASE_FILENAME', '.tmp/data.db')) }, useNullAsDefault: true } };\n return { connection: { client, ...connections[client], acquireConnectionTimeout: env.int('DATABASE_CONNECTION_TIMEOUT', 60000) } };"
	for name, text := range map[string]string{
		"admin.ts":       "export default ({ env }) => ({ " + secrets + " });",
		"admin.js":       "module.exports = ({ env }) => ({ " + secrets + " });",
		"api.ts":         "import type { Core } from '@strapi/strapi';\nconst config: Core.Config.Api = { rest: { defaultLimit: 25, maxLimit: 100, withCount: true, strictParams: true }, documents: { strictParams: true } };\nexport default config;",
		"server.ts":      "const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Server => ({ host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1337), app: { keys: env.array('APP_KEYS')! }, webhooks: { populateRelations: env.bool('WEBHOOKS_POPULATE_RELATIONS', false) } });\nexport default config;",
		"middlewares.js": "module.exports = ['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::poweredBy', 'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'];",
		"plugins.ts":     "const allowed = ['image/*', 'application/vnd.openxmlformats-officedocument.*'];\nexport default () => ({ 'users-permissions': { config: { jwtManagement: 'refresh', sessions: { httpOnly: true } } }, upload: { config: { security: { allowedTypes: allowed, deniedTypes: ['image/svg+xml'] } } } });",
		"database.ts":    "import path from 'path';\nexport default ({ env }) => {\n" + database + "\n};",
		"database.js":    "const path = require('path');\nmodule.exports = ({ env }) => {\n" + strings.ReplaceAll(database, ": Record<Core.Config.Database.ClientKind, Core.Config.Database['connection']>", "") + "\n};",
	} {
		if got := why(projectOf(t, map[string]string{"config/" + name: text}), "config/"+name); got != "gone" {
			t.Errorf("%s is listed: %s", name, got)
		}
		if strings.HasPrefix(name, "middlewares") {
			continue
		}
		changed := strings.NewReplacer("secrets:", "rateLimit: { max: 1 }, secrets:", "documents:", "filters:", "app:", "proxy: true, app:", "upload:", "email:", "60000", "90000").Replace(text)
		if got := why(projectOf(t, map[string]string{"config/" + name: changed}), "config/"+name); got == "gone" {
			t.Errorf("%s is not listed although it was changed", name)
		}
	}
}

// Settings of config become those of site.json, each in its unit; what cannot is named.
func TestConfig(t *testing.T) {
	for _, test := range []struct{ name, text, settings, left string }{
		{"api.js", "module.exports = { rest: { defaultLimit: 500 } }", "rest.defaultLimit = 500 rest.maxLimit = 500", ""},
		{"api.js", "module.exports = { rest: { defaultLimit: 50, maxLimit: 20, withCount: false } }", "rest.defaultLimit = 20 rest.maxLimit = 20 rest.withCount = false", ""},
		{"api.js", "module.exports = { rest: { maxLimit: -1, prefix: '/v1' } }", "", "left: rest.maxLimit (line 1), rest.prefix (line 1)"},
		{"api.js", "module.exports = ({ env }) => ({ rest: { maxLimit: env.int('MAX', 20) } })", "", "left: rest.maxLimit (line 1)"},
		{"api.js", "module.exports = { ...base, rest: { maxLimit: 20 } }", "rest.maxLimit = 20", "left: a part (line 1)"},
		{"api.js", "delete x.y; module.exports = {}", "", "left: line 1 is not understood"},
		{"middlewares.js", "module.exports = [{ name: 'strapi::body', config: { jsonLimit: '1.5mb', formLimit: '2mb', encoding: 'x' } }]", "limits.bodyBytes = 1572864", "left: encoding (line 1)"},
		{"middlewares.js", "module.exports = [{ name: 'strapi::cors' }, { name: 'strapi::security', config: {} }, { name: 'strapi::poweredBy', config: { poweredBy: 'x' } }]", "", "gone"},
		{"middlewares.js", "module.exports = [{ name: 'strapi::cors', config: { origin: ['*'] } }, { name: 'strapi::cors', config: { origin: '*' } }]", "", "gone"},
		{"middlewares.js", "module.exports = [{ name: 'strapi::cors', config: { origin: ['https://example.org'] } },\n{ name: 'strapi::cors', config: { origin: '*', credentials: true } }]", "", "left: strapi::cors (line 1), strapi::cors (line 2)"},
		{"admin.js", "module.exports = ({ env }) => ({ preview: { enabled: true, config: { async handler(uid) { return uid } } } })", "", "left: preview (line 1)"},
		{"middlewares.js", "module.exports = [...base, 'plugin::a.b', require('x')]", "", "left: a part (line 1), plugin::a.b (line 1), a part (line 1)"},
		{"plugins.js", "module.exports = { 'users-permissions': { config: { jwt: { expiresIn: '7d' }, register: { allowedFields: ['nickname'] } } }, email: { config: { provider: 'smtp' } } }", `auth.jwt.lifetime = "7d" auth.register.allowedFields = ["nickname"]`, "left: email.config.provider (line 1)"},
		{"plugins.js", "module.exports = { upload: { config: { provider: 'aws-s3', security: { allowedTypes: ['**'] } } } }", "", "left: upload.config.provider (line 1), upload.config.security.allowedTypes (line 1)"},
		{"server.js", "module.exports = ({ env }) => ({ url: 'https://cms.example.org', port: env.int('MY_PORT', 1) })", `url = "https://cms.example.org"`, "left: port (line 1)"},
		{"env/production/api.js", "module.exports = { rest: { maxLimit: 20 } }", "", "left: settings of one environment"},
	} {
		p := projectOf(t, map[string]string{"config/" + test.name: test.text})
		if got := strings.Join(settingsIn(p), " "); got != test.settings {
			t.Errorf("%s\n  sets %s", test.text, got)
		}
		want := test.left
		if want == "" {
			want = "`quire adopt` writes " + strings.Join(p.Settings[len(p.Settings)-1].Path, ".") + " to site.json"
		}
		if got := why(p, "config/"+test.name); got != want {
			t.Errorf("%s\n  is listed with %q", test.text, got)
		}
	}
}
