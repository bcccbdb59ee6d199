package schema_test

import (
	"testing"
	"testing/fstest"
	"time"

	"quire/schema"
	"quire/schema/settings"
)

// FuzzSite reads a whole site folder: a content type, a component, more of users
// and site.json. Load must either refuse it with problems that say where, or
// return a site without loose ends and with limits that bound something.
func FuzzSite(f *testing.F) {
	const dish = `{"info": {"singularName": "dish", "pluralName": "dishes"}, "pluginOptions": {"i18n": {"localized": true}},
		"attributes": {"name": {"type": "string", "regex": "^(a{1,9}){1,9}$"}, "parts": {"type": "component", "component": "c.d", "repeatable": true}}}`
	const user = `{"attributes": {"nickname": {"type": "string"}, "password": {"type": "password", "minLength": 9}}}`
	for _, settings := range []string{
		`{"i18n": {"defaultLocale": "fr", "locales": [{"code": "fr", "name": "French"}]}, "limits": {"depth": 1}}`,
		`{"url": "https://a.example.org/", "auth": {"providers": {"a-1": {"issuer": "https://a.example.org", "clientId": "x", "scopes": ["email"], "members": {"email": "mail"}, "callbacks": ["https://a.example.org/?b"]}}}}`,
		`{"auth": {"trustedProxies": ["10.0.0.0/8", "::1"], "jwt": {"lifetime": "7d"}, "register": {"allowedFields": ["nickname"]}, "reset": {"url": "https://example.org"}}}`,
		`{"mail": {"smtp": "smtp://h:1", "from": "G <g@example.org>", "reset": {"subject": "{link}", "text": "{code}"}}}`,
		`{"roles": {"public": {"api::a.dish": ["find"]}}, "rest": {"defaultLimit": 5, "maxLimit": 2}, "upload": {"sizeLimit": 5}}`,
		`{"defaults": {"api::a.dish": {"populate": "*"}}, "cache": {"api::a.dish": "10m"}, "log": {"slow": "1s"}, "customFields": {"plugin::tags.tags": "json"}}`,
	} {
		f.Add(dish, `{"attributes": {"e": {"type": "string", "private": true}}}`, user, settings)
	}
	f.Fuzz(func(t *testing.T, content, component, user, settings string) {
		site, err := schema.Load(fstest.MapFS{
			"src/api/a/content-types/a/schema.json":                           {Data: []byte(content)},
			"src/components/c/d.json":                                         {Data: []byte(component)},
			"src/extensions/users-permissions/content-types/user/schema.json": {Data: []byte(user)},
			"site.json": {Data: []byte(settings)},
		})
		if err != nil {
			checkProblems(t, err)
			return
		}
		for _, ct := range site.Types {
			checkType(t, ct)
		}
		checkSettings(t, &site.Settings)
	})
}

func checkSettings(t *testing.T, s *settings.Settings) {
	l := s.Limits
	if l.BodyBytes < 1 || l.URLBytes < 1 || l.Depth < 1 || l.Conditions < 1 || l.PopulateEntries < 1 || l.PopulateDepth < 1 || l.ResponseEntries < 1 {
		t.Errorf("limits %+v", l)
	}
	if !s.HasLocale(s.DefaultLocale) || len(s.Locales) == 0 {
		t.Errorf("the default locale %q is none of %v", s.DefaultLocale, s.Locales)
	}
	if s.Upload.SizeLimit < 1 || s.Accounts.JWTLifetime < time.Second || s.RateLimit.Enabled && (s.RateLimit.Max < 1 || s.RateLimit.Interval <= 0) {
		t.Errorf("%+v, %+v, %+v", s.Upload, s.Accounts, s.RateLimit)
	}
}
