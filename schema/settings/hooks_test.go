package settings_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
	"quire/schema/source"
)

// readHooks reads a site.json of a site that has the type api::one.one.
func readHooks(text string) (settings.Settings, error) {
	problems := &source.Problems{}
	config, _ := source.Parse("site.json", []byte(text), problems)
	s := settings.Read(config)
	s.ReadByType(config, settings.Types{Exists: func(m source.Member) bool { return strings.HasSuffix(m.Key, "one") || strings.HasSuffix(m.Key, "user") }})
	return s, problems.Err()
}

func TestHooks(t *testing.T) {
	s, err := readHooks(`{"hooks": [{"name": "a", "url": "http://127.0.0.1:4000/hooks"}, {"name": "b", "url": "https://example.org", "types": ["api::one.one"], "events": ["create", "delete"], "timeout": 30}]}`)
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.Hooks[0], s.Hooks[1]
	if a.Name != "a" || a.Timeout != 5*time.Second || a.Types != nil || a.Events != nil {
		t.Errorf("by default: %+v", a)
	}
	if b.Timeout != 30*time.Second || !slices.Equal(b.Types, []string{"api::one.one"}) || !slices.Equal(b.Events, []string{"create", "delete"}) {
		t.Errorf("%+v", b)
	}
}

func TestHookProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"url": "http://127.0.0.1:4000"}`:                                                           "name must be a text of 1 to 100 characters",
		`{"name": "a"}`:                                                                              "url is missing",
		`{"name": "a", "url": "http://10.0.0.1"}`:                                                    "of a private network",
		`{"name": "a", "url": "http://10.0.0.1:4000"}`:                                               "name one of a private network in events.allowPrivate, too",
		`{"name": "a", "url": "http://127.0.0.1:22"}`:                                                "has the port 22",
		`{"name": "a", "url": "http://me:pw@127.0.0.1:4000"}`:                                        "has a user name or password",
		`{"name": "a", "url": "http://localhost:4000", "timeout": 31}`:                               "timeout is longer than 30 seconds",
		`{"name": "a", "url": "http://[::1]:4000", "timeout": 0}`:                                    "timeout must be a whole number from 1",
		`{"name": "a", "url": "http://localhost:4000", "events": ["read"]}`:                          `"read" is not an event of hooks`,
		`{"name": "a", "url": "http://localhost:4000", "before": []}`:                                `"before" is not a setting`,
		`{"name": "a", "url": "http://localhost:4000", "types": ["plugin::users-permissions.user"]}`: `is not a type with hooks`,
	} {
		_, err := readHooks(`{"hooks": [` + text + `]}`)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), ":", ""), strings.ReplaceAll(want, ":", "")) || !strings.Contains(err.Error(), "hooks[0]") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	hook := `{"name": "a", "url": "http://localhost:4000"}`
	if _, err := readHooks(`{"hooks": [` + hook + `, ` + hook + `]}`); err == nil || !strings.Contains(err.Error(), `another hook is called "a"`) {
		t.Error(err)
	}
	if _, err := readHooks(`{"hooks": [` + strings.Repeat(hook+",", 20) + hook + `]}`); err == nil || !strings.Contains(err.Error(), "has 21 hooks, more than 20") {
		t.Error(err)
	}
}

// This machine can be reached where site.json names it, and not where a name leads to it.
func TestBeside(t *testing.T) {
	local, private := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1")
	events := settings.Default().Events
	for address, allowed := range map[string]bool{
		"http://localhost:4000": true, "http://127.0.0.2:4000": true, "http://[::1]:4000": true,
		"http://example.org": false, "http://localhost.example.org": false,
	} {
		rules := events.Beside(address)
		if got := rules.CheckAddress(local) == nil; got != allowed {
			t.Errorf("%s may reach this machine: %v", address, got)
		}
		if rules.CheckAddress(private) == nil {
			t.Errorf("%s may reach a private network", address)
		}
	}
	if events.CheckAddress(local) == nil {
		t.Error("webhooks may reach this machine")
	}
}
