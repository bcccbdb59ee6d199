package settings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"quire/schema/settings"
	"quire/schema/source"
)

// showOf reads a site.json and shows its settings, by key.
func showOf(t *testing.T, text string) map[string]settings.Shown {
	t.Helper()
	config, _ := source.Parse("site.json", []byte(text), &source.Problems{})
	s, shown := readSettings(t, text), map[string]settings.Shown{}
	for _, g := range s.Show(settings.Given(config)) {
		for _, one := range g.Settings {
			if _, twice := shown[one.Key]; twice {
				t.Errorf("%s is shown twice", one.Key)
			}
			shown[one.Key] = one
		}
	}
	return shown
}

func TestShowSaysWhereASettingComesFrom(t *testing.T) {
	shown := showOf(t, `{"url": "https://cms.example.org", "limits": {"bodyBytes": 2048}, "auth": {"refresh": {"access": "5m"}}, "log": {"slowMs": 1500}, "backup": {"folder": "/srv/marker"}, "admin": {"networks": ["10.1.2.3"], "openid": {"issuer": "https://login.example.org", "clientId": "cms", "roles": {"claim": "groups", "map": {"writers": "editor"}}}}}`)
	for key, want := range map[string]string{
		"limits.bodyBytes":       `{"key":"limits.bodyBytes","value":2048,"unit":"bytes","set":true,"kept":false}`,
		"limits.depth":           `{"key":"limits.depth","value":20,"unit":"","set":false,"kept":false}`,
		"auth.refresh.access":    `{"key":"auth.refresh.access","value":300,"unit":"seconds","set":true,"kept":false}`,
		"auth.refresh.idle":      `{"key":"auth.refresh.idle","value":604800,"unit":"seconds","set":false,"kept":false}`,
		"log.slowMs":             `{"key":"log.slowMs","value":1.5,"unit":"seconds","set":true,"kept":false}`,
		"backup.folder":          `{"key":"backup.folder","value":null,"unit":"","set":true,"kept":true}`,
		"admin.networks":         `{"key":"admin.networks","value":["10.1.2.3/32"],"unit":"","set":true,"kept":false}`,
		"rateLimit.max":          `{"key":"rateLimit.max","value":null,"unit":"","set":false,"kept":false}`,
		"admin.openid.roles.map": `{"key":"admin.openid.roles.map","value":["writers: editor"],"unit":"","set":true,"kept":false}`,
		"upload.allow":           `{"key":"upload.allow","value":[],"unit":"","set":false,"kept":false}`,
	} {
		if out, _ := json.Marshal(shown[key]); string(out) != want {
			t.Errorf("%s\n got %s\nwant %s", key, out, want)
		}
	}
}

var (
	settingsRow = regexp.MustCompile("(?m)^\\| ((?:`[a-zA-Z0-9.]+`(?:, )?)+) \\|")
	sizesOf     = regexp.MustCompile(`^upload\.pictures\.`) // docs/media.md has a table of these
)

// settingsOf are the settings in the tables of a page, "`rateLimit.max`, `.interval`".
func settingsOf(t *testing.T, page string) (keys []string) {
	t.Helper()
	for _, row := range settingsRow.FindAllStringSubmatch(readPage(t, page), -1) {
		before := ""
		for key := range strings.SplitSeq(row[1], ", ") {
			if key = strings.Trim(key, "`"); key[0] == '.' {
				key = before[:strings.LastIndexByte(before, '.')] + key
			}
			before = key
			keys = append(keys, key)
		}
	}
	return keys
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each setting of docs/site.md is shown, but for what is shown elsewhere, and each that is
// shown is in docs/site.md or docs/auth.md.
func TestShowHasAllSettings(t *testing.T) {
	shown, listed := showOf(t, `{"rateLimit": {"max": 5}, "upload": {"pictures": {"sizes": ["320x"]}}}`), settingsOf(t, "site.md")
	elsewhere := []string{"preview", "webhooks", "auth", "mail", "responses.privateAttributes", "customFields", "upload.pictures", "search", "search.countMissed"}
	for _, key := range listed {
		if _, ok := shown[key]; !ok && !slices.Contains(elsewhere, key) {
			t.Errorf("%s is not shown", key)
		}
	}
	if len(listed) < 100 {
		t.Errorf("%d settings are too few: the table is read wrongly", len(listed))
	}
	listed = append(listed, settingsOf(t, "auth.md")...)
	for key := range shown {
		in := slices.Contains(listed, key)
		if sizesOf.MatchString(key) {
			in = slices.Contains(settingsOf(t, "media.md"), sizesOf.ReplaceAllString(key, ""))
		}
		if !in {
			t.Errorf("%s is in no table of docs/site.md, docs/auth.md or docs/media.md", key)
		}
	}
}

var only = regexp.MustCompile(`\.Only\(([^)]*)\)`)

// Each member that site.json can have is named by a page.
func TestPagesNameAllSettings(t *testing.T) {
	pages, found := "", 0
	for _, page := range []string{"site", "auth", "media", "search", "graphql", "agents", "webhooks", "customising", "admin", "backup"} {
		pages += readPage(t, page+".md")
	}
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range only.FindAllStringSubmatch(string(text), -1) {
			for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(call[1], -1) {
				if found++; !regexp.MustCompile("[`.\"]" + m[1] + "[`.\"]").MatchString(pages) {
					t.Errorf("%s reads %s, which no page names", file, m[1])
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("%d members are too few: the code is read wrongly", found)
	}
}

// Each setting that is shown has words for it, in every language of the admin.
func TestShownSettingsHaveWords(t *testing.T) {
	languages, err := filepath.Glob("../../admin/web/src/settings/messages/*.ts")
	if err != nil || len(languages) < 10 {
		t.Fatalf("%d languages, %v", len(languages), err)
	}
	for _, language := range languages {
		text, err := os.ReadFile(language)
		if err != nil {
			t.Fatal(err)
		}
		for key := range showOf(t, `{"rateLimit": {"max": 5}}`) {
			own := strings.HasPrefix(key, "i18n.") || strings.HasPrefix(key, "mail.") // which have pages of their own
			if !own && !strings.Contains(string(text), `"s.`+key+`"`) {
				t.Errorf("%s has no words for %s", language, key)
			}
		}
	}
}

func TestPreviewsAreShownWithoutWhatTheirParametersSay(t *testing.T) {
	problems := &source.Problems{}
	config, _ := source.Parse("site.json", []byte(`{"preview": {
		"b": "https://example.org/api/preview?secret=marker&slug={slug}&marker#marker", "a": "https://example.org/{locale}/{slug}#{documentId}", "c": "https://example.org/?path=/marker/{slug}"}}`), problems)
	s := settings.Default()
	s.ReadPreviews(config, func(source.Member, []string) bool { return true })
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	want := []settings.ShownPreview{
		{UID: "a", Address: "https://example.org/{locale}/{slug}#{documentId}"},
		{UID: "b", Address: "https://example.org/api/preview?secret=…&slug={slug}&…#…"},
		{UID: "c", Address: "https://example.org/?path=…"},
	}
	if got := s.ShowPreviews(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
