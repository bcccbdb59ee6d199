package command

import (
	"path/filepath"
	"strings"
	"testing"
)

const (
	localizedType = "\"i18n\": {\n      \"localized\": true"
	plainType     = "\"i18n\": {\n      \"localized\": false"
)

// requireRestaurants reads every restaurant of a list separately, and counts them.
func requireRestaurants(t *testing.T, p *program, query string, want int) {
	t.Helper()
	var list struct {
		Data []struct{ DocumentID, Name string }
	}
	if status := p.get("/api/restaurants?"+query, "", &list); status != 200 || len(list.Data) != want {
		t.Errorf("%s: %d, %d restaurants, want %d", query, status, len(list.Data), want)
	}
	for _, each := range list.Data {
		var one struct{ Data struct{ Name string } }
		if status := p.get("/api/restaurants/"+each.DocumentID+"?"+query, "", &one); status != 200 || one.Data.Name != each.Name {
			t.Errorf("%s: the list shows %q, by its documentId there is %d %q", query, each.Name, status, one.Data.Name)
		}
	}
}

// Localization is switched off and on again with content in several locales. A start
// says what to do, the command does it, and nothing is lost.
func TestSwitchLocalization(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	serve := func(query string, want int) {
		t.Helper()
		p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
		defer p.end()
		requireRestaurants(t, p, query, want)
	}
	serve("locale=de", 2)
	for _, c := range []struct{ from, to, message, table, query string }{
		{localizedType, plainType, "is not localized, and content of it is stored in de, en", restaurants + " de de (kept aside) draft 2", ""},
		{plainType, localizedType, "is localized, and content of it is stored without a locale", restaurants + " de (kept aside) de draft 2", "locale=de"},
	} {
		edit(t, site, restaurantSchema, c.from, c.to)
		for _, refused := range []string{"serve --listen 127.0.0.1:0", "check", "migrate drop " + restaurants + " gone"} {
			code, stdout, stderr := command(t, append(strings.Fields(refused), site)...)
			if code != 1 || !strings.Contains(stdout+stderr, restaurants+" "+c.message) || !strings.Contains(stdout+stderr, "`quire migrate localization --dry-run SITE`") {
				t.Errorf("%s: exit %d\n%s%s", refused, code, stdout, stderr)
			}
		}
		code, _, stderr := command(t, "export", site, filepath.Join(t.TempDir(), "x.tar.gz"))
		if code != 1 || !strings.Contains(stderr, c.message) {
			t.Errorf("an export: exit %d\n%s", code, stderr)
		}
		planned := succeed(t, "migrate", "localization", "--dry-run", site)
		if !strings.Contains(strings.Join(strings.Fields(planned), " "), c.table) || !strings.Contains(planned, "would be changed; nothing was. Make a backup") {
			t.Errorf("the dry run says\n%s", planned)
		}
		done := succeed(t, "migrate", "localization", site)
		if before, _, _ := strings.Cut(planned, " would be"); !strings.HasPrefix(done, before) {
			t.Errorf("it did\n%s\nand planned\n%s", done, planned)
		}
		if got := succeed(t, "migrate", "localization", site); !strings.Contains(got, "nothing to do") {
			t.Errorf("again: %s", got)
		}
		counted := restaurants + map[bool]string{true: " 4 5", false: " 6 7"}[c.query == ""]
		if got := succeed(t, "status", site); !strings.Contains(strings.Join(strings.Fields(got), " "), counted) {
			t.Errorf("the status counts what is kept aside, or not what is served: it lacks %q\n%s", counted, got)
		}
		if code, stdout, _ := command(t, "check", site); code != 0 || c.query == "" && !strings.Contains(stdout, `in the locale "de", which is not localized (4 entries): kept, not served; it comes back`) {
			t.Errorf("check after it: exit %d\n%s", code, stdout)
		}
		serve(c.query, map[string]int{"": 4, "locale=de": 2}[c.query])
	}
}
