package settings_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
	"quire/schema/source"
)

// readSettings reads a site.json that has nothing wrong with it.
func readSettings(t *testing.T, text string) settings.Settings {
	t.Helper()
	s, err := tryToRead(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryToRead(text string) (settings.Settings, error) {
	problems := &source.Problems{}
	config, _ := source.Parse("site.json", []byte(text), problems)
	s := settings.Read(config)
	return s, problems.Err()
}

func TestDefaults(t *testing.T) {
	s := readSettings(t, `{}`)
	want := settings.Settings{
		DefaultLocale: "en",
		Locales:       []settings.Locale{{Code: "en", Name: "English (en)"}},
		DefaultLimit:  25, MaxLimit: 100, WithCount: true,
		Limits: settings.Limits{
			BodyBytes: 1 << 20, URLBytes: 64 << 10, Depth: 20, Conditions: 1000, PopulateEntries: 100, PopulateDepth: 20, ResponseEntries: 100_000, ResponseBytes: 64 << 20,
			WriteLinks: 10_000, BatchRequests: 1000, BatchBytes: 4 << 20, ImportBytes: 10 << 30,
			QueryTime: 10 * time.Second, HeavyCost: 50_000, Memory: 256 << 20, Connections: 4096, Requests: 10_000, Streams: 1000, StreamsPerAddress: 50,
		},
		Roles:     map[string]settings.RolePermissions{},
		RateLimit: settings.RateLimit{Enabled: true, Max: 5, Interval: 5 * time.Minute},
		Upload:    settings.Upload{SizeLimit: 200 << 20, Pictures: settings.Pictures{Qualities: []int{80}, Formats: []string{"auto", "jpeg", "png", "webp"}, CacheBytes: 1 << 30}, Serve: settings.ServeHere, PrivateLife: 15 * time.Minute},
		Log:       settings.Log{Slow: time.Second},
		Backup:    settings.Backup{Keep: 7, Stream: settings.CommitStream{Queue: 1 << 30}},
		Streams:   settings.StoredStreams{Bytes: 100 << 30},
		History:   settings.History{Versions: 100, Age: 90 * 24 * time.Hour},
		Events:    settings.Events{Retention: 7 * 24 * time.Hour, Bytes: 1 << 30},
		Admin:     settings.Admin{Enabled: true, Passwords: true, RateLimit: settings.RateLimit{Enabled: true, Max: 5, Interval: 5 * time.Minute}},
		Code:      settings.Code{Enabled: true, Memory: 256},
		GraphQL:   settings.GraphQL{Endpoint: "/graphql", DepthLimit: 10, DefaultLimit: 10, MaxLimit: -1, AmountLimit: -1, Introspection: true},
		MCP:       settings.MCP{Tools: "quire", Limits: settings.MCPLimits{Calls: 240, Documents: 10_000, Bytes: 32 << 20, Answer: 48 << 10}},
		Audit:     settings.Audit{Retention: 365 * 24 * time.Hour},
		Accounts: settings.Accounts{
			Register:    settings.Register{Enabled: true, Role: "authenticated"},
			JWTLifetime: 720 * time.Hour,
			Refresh:     settings.Refresh{Access: 10 * time.Minute, Idle: 168 * time.Hour, Longest: 720 * time.Hour},
		},
	}
	want.Cluster.Linearizable.Credential = true
	s.Defaults, s.Mail = nil, settings.Mail{}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v", s)
	}
}

func TestEvents(t *testing.T) {
	s := readSettings(t, `{"events": {"retention": "36h", "megabytes": 5}}`)
	if want := (settings.Events{Retention: 36 * time.Hour, Bytes: 5 << 20}); !reflect.DeepEqual(s.Events, want) {
		t.Errorf("got %+v", s.Events)
	}
}

func TestRequestRate(t *testing.T) {
	for _, test := range []struct {
		site string
		want settings.RequestRate
	}{
		{`{}`, settings.RequestRate{}},
		{`{"rateLimit": {"max": 600}}`, settings.RequestRate{Max: 600, Interval: time.Minute, Burst: 600}},
		{`{"rateLimit": {"max": 10, "interval": "1s", "burst": 50}}`, settings.RequestRate{Max: 10, Interval: time.Second, Burst: 50}},
	} {
		s := readSettings(t, test.site)
		if s.Rate != test.want {
			t.Errorf("%s: %+v", test.site, s.Rate)
		}
	}
}

func TestLocalesOfSite(t *testing.T) {
	tests := []struct{ i18n, fallback, codes string }{
		{`{}`, "en", "en"},
		{`{"defaultLocale": "fr-CH"}`, "fr-CH", "fr-CH"},
		{`{"locales": [{"code": "de"}, {"code": "en"}]}`, "en", "de en"},
		{`{"defaultLocale": "zh-Hans-CN", "locales": [{"code": "es-419"}, {"code": "zh-Hans-CN"}]}`, "zh-Hans-CN", "es-419 zh-Hans-CN"},
	}
	for _, test := range tests {
		s := readSettings(t, `{"i18n": `+test.i18n+`}`)
		var codes []string
		for _, l := range s.Locales {
			codes = append(codes, l.Code)
		}
		if s.DefaultLocale != test.fallback || strings.Join(codes, " ") != test.codes {
			t.Errorf("%s: %s of %v", test.i18n, s.DefaultLocale, codes)
		}
	}
}

// No setting of site.json turns the limit on tries to sign in to the admin off: not that of
// the site's users, and none of its own.
func TestTheLimitOfTheAdminIsNeverOff(t *testing.T) {
	s := readSettings(t, `{"auth": {"rateLimit": {"enabled": false}}, "admin": {"rateLimit": {"max": 100, "interval": "1m"}}}`)
	if want := (settings.RateLimit{Enabled: true, Max: 100, Interval: time.Minute}); s.Admin.RateLimit != want || s.RateLimit.Enabled {
		t.Errorf("got %+v and %+v", s.Admin.RateLimit, s.RateLimit)
	}
	for _, text := range []string{`{"enabled": false}`, `{"enabled": true}`, `{"max": 0}`, `{"max": 101}`, `{"max": "5"}`, `{"interval": "59s"}`, `{"interval": "0s"}`, `{"interval": 60}`, `{"Enabled": false}`, `false`, `null`, `[]`} {
		if s, err := tryToRead(`{"admin": {"rateLimit": ` + text + `}}`); err == nil && text != "null" {
			t.Errorf("%s is accepted: %+v", text, s.Admin.RateLimit)
		} else if err == nil && s.Admin.RateLimit.Max != 5 {
			t.Errorf("%s: %+v", text, s.Admin.RateLimit)
		}
	}
}
