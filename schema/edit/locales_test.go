package edit

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// The locales of site.json are replaced in their order. Nothing else of the file changes, and
// without a file there is one.
func TestLocales(t *testing.T) {
	const two = `{"locales": {"default": "de", "list": [{"code": "de", "name": "Deutsch"}, {"code": "en", "name": "English"}]}}`
	after, d := settingsOf(t, withSettings(t, `{"url":"https://example.org", "i18n": {"defaultLocale": "en", "locales": [{"code": "en", "name": "English"}]}, "rest": { "maxLimit":50 }}`), two)
	want := `{
  "url": "https://example.org",
  "i18n": {
    "defaultLocale": "de",
    "locales": [
      {
        "code": "de",
        "name": "Deutsch"
      },
      {
        "code": "en",
        "name": "English"
      }
    ]
  },
  "rest": { "maxLimit":50 }
}
`
	if after != want {
		t.Errorf("it becomes\n%s\nand not\n%s", after, want)
	}
	if got := fmt.Sprintf("%v %s", d.Site.Settings.Locales, d.Site.Settings.DefaultLocale); got != "[{de Deutsch} {en English}] de" {
		t.Errorf("%s", got)
	}
	m := memory(t, guide)
	delete(m, SettingsFile)
	if d := mustMake(t, m, change(t, two)); len(d.Files) != 1 || d.Files[0].Before != nil {
		t.Errorf("without a file: %+v", d.Files)
	}
	if d := mustMake(t, fstest.MapFS(withSettings(t, want)), change(t, two)); len(d.Files) != 0 {
		t.Errorf("the same again: %+v", d.Files)
	}
}

// Locales and names of types change in one step.
func TestLocalesWithTypes(t *testing.T) {
	after, _ := settingsOf(t, withSettings(t, mentioning), `{"locales": {"default": "fr", "list": [{"code": "fr", "name": "French"}]},
		"types": [{"was": "api::cook.cook", "name": "chef", "pluralName": "chefs"}]}`)
	if !strings.Contains(after, `"api::chef.chef"`) || strings.Contains(after, `"api::cook.cook"`) || !strings.Contains(after, `"defaultLocale": "fr"`) {
		t.Errorf("%s", after)
	}
}

func TestImpossibleLocales(t *testing.T) {
	for list, want := range map[string]string{
		``: "there are 0 locales",
		strings.Repeat(`{"code": "en", "name": ""},`, MaxLocales) + `{"code": "de", "name": ""}`: "there are 201 locales",
		`{"code": "", "name": "None"}`:                               "is not a locale",
		`{"code": "en", "name": "` + strings.Repeat("x", 101) + `"}`: "is not a locale",
		`{"code": "EN!", "name": ""}`:                                "is not a locale code",
		`{"code": "en", "name": ""}, {"code": "en", "name": ""}`:     "occurs twice",
		`{"code": "de", "name": ""}`:                                 "default locale",
	} {
		d, err := Make(withSettings(t, `{}`), change(t, `{"locales": {"default": "en", "list": [`+list+`]}}`), noChecks)
		check(t, err)
		if d.Site != nil || len(d.Problems) == 0 || !strings.Contains(d.Problems[0].Message, want) {
			t.Errorf("%.100s: %+v", list, d.Problems)
		}
	}
}
