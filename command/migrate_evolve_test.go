package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/content/migrate"
)

const seatsNumber, seatsText = `"seats": {
      "type": "integer",
      "min": 1,
      "max": 500
    }`, `"seats": {
      "type": "string"
    }`

// Converting an attribute to another kind: plan shows the changes, and convert makes
// them, in both directions. Values that cannot be converted are listed, and the
// conversion is refused.
func TestConvert(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	edit(t, site, restaurantSchema, seatsNumber, seatsText)
	planned := succeed(t, "migrate", "plan", site)
	if !strings.Contains(planned, restaurants+".seats: 12 values in 4 documents converted, whole number to string\n    ") {
		t.Errorf("the plan says\n%s", planned)
	}
	if got := succeed(t, "migrate", "convert", "--dry-run", site); !strings.Contains(got, "12 entries would be changed; nothing was. Make a backup") {
		t.Errorf("the dry run says\n%s", got)
	}
	file := filepath.Join(t.TempDir(), "before.tar.zst")
	if got := succeed(t, "migrate", "convert", "--backup", file, site); !strings.Contains(got, "12 entries changed\n") {
		t.Errorf("it says\n%s", got)
	}
	succeed(t, "restore", "--verify", file)
	if got := succeed(t, "migrate", "convert", site); !strings.Contains(got, "nothing to do") {
		t.Errorf("again: %s", got)
	}
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Errorf("check: %s", got)
	}
	edit(t, site, restaurantSchema, `"opened": {
      "type": "date"`, `"opened": {
      "type": "float"`)
	code, _, stderr := command(t, "migrate", "convert", site)
	if code != 1 || !strings.Contains(stderr, "12 values of "+restaurants+".opened cannot be converted; the first, of ") || !strings.Contains(stderr, "it is not a number") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got := succeed(t, "migrate", "convert", "--dry-run", "--only", restaurants+".seats", site); !strings.Contains(got, "nothing to do") {
		t.Errorf("of seats alone: %s", got)
	}
	if got := succeed(t, "migrate", "convert", "--dry-run", site); !strings.Contains(got, "it would be refused: ") {
		t.Errorf("a dry run: %s", got)
	}
	var plan migrate.Plan
	if err := json.Unmarshal([]byte(succeed(t, "migrate", "plan", "--json", "--examples", "1", site)), &plan); err != nil || len(plan.Of(migrate.Unconvertible)) != 1 || len(plan.Of(migrate.Unconvertible)[0].Examples) != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	if got := succeed(t, "migrate", "convert", "--drop-unconvertible", site); !strings.Contains(got, "12 values in 4 documents deleted, as they cannot be converted, text to float") {
		t.Errorf("it says %s", got)
	}
}

// A running server converts, renames a type, and serves the new schemas from then on.
func TestEvolveWhileServing(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	former := filepath.Join(t.TempDir(), "former")
	requireNil(t, os.CopyFS(former, os.DirFS(site)))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	edit(t, site, restaurantSchema, seatsNumber, seatsText)
	if _, _, stderr := command(t, "migrate", "convert", site); stderr != "quire: done by the running server\n" {
		t.Errorf("it says %s", stderr)
	}
	var list struct{ Data []struct{ Seats string } }
	if status := p.get("/api/restaurants?filters[seats][$notNull]=true", "", &list); status != 200 || len(list.Data) == 0 || list.Data[0].Seats == "" {
		t.Errorf("%d %+v", status, list)
	}
	if got := succeed(t, "migrate", "plan", "--from", former, site); got != "all content is stored as the schemas have it; there is nothing to do\n" {
		t.Errorf("the plan after it: %s", got)
	}
	renameStories(t, site) // except in site.json
	settings := filepath.Join(site, "site.json")
	before, err := os.ReadFile(settings)
	requireNil(t, err)
	if got := succeed(t, "migrate", "rename-type", "--dry-run", "api::story.story", "api::tale.tale", site); !strings.HasPrefix(got, "api::tale.tale: 3 entries, stored as api::story.story\n") || !strings.Contains(got, "site.json: defaults.api::story.story: api::story.story becomes api::tale.tale\n") {
		t.Errorf("the dry run says %s", got)
	}
	if now, err := os.ReadFile(settings); err != nil || string(now) != string(before) {
		t.Errorf("the dry run has changed site.json: %v %s", err, now)
	}
	code, _, stderr := command(t, "migrate", "rename-type", "api::story.story", "api::tale.tale", site)
	if code != 0 || stderr != "quire: done by the running server\n" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if now, err := os.ReadFile(settings); err != nil || string(now) != strings.ReplaceAll(string(before), "api::story.story", "api::tale.tale") {
		t.Errorf("site.json: %v %s", err, now)
	}
	var tales struct{ Data []any }
	if status := p.get("/api/tales", "", &tales); status != 200 || len(tales.Data) != 1 {
		t.Errorf("%d %+v", status, tales)
	}
}

// renameStories renames a type in all schema files of the site, and in the other files.
func renameStories(t *testing.T, site string, others ...string) {
	t.Helper()
	api := filepath.Join(site, "src", "api")
	for _, move := range [][2]string{{filepath.Join(api, "story"), filepath.Join(api, "tale")}, {filepath.Join(api, "tale", "content-types", "story"), filepath.Join(api, "tale", "content-types", "tale")}} {
		requireNil(t, os.Rename(move[0], move[1]))
	}
	r := strings.NewReplacer("api::story.story", "api::tale.tale", `"singularName": "story"`, `"singularName": "tale"`, `"pluralName": "stories"`, `"pluralName": "tales"`)
	for _, pattern := range append(others, "src/api/*/content-types/*/schema.json", "src/components/*/*.json") {
		names, _ := filepath.Glob(filepath.Join(site, pattern))
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, []byte(r.Replace(string(text))), 0o600)
			}
			requireNil(t, err)
		}
	}
}

func TestEvolveArguments(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	succeed(t, "hook", "secret", site) // creates the data file
	for _, c := range []struct{ args, want string }{
		{"rename-type api::a.a api::b.b " + site, "the site has no type api::b.b"},
		{"rename-type api::a.a", "quire: NEW is missing"},
		{"plan --rename api::a.a=b " + site, `"api::a.a=b" is not TYPE.OLD=NEW`},
		{"plan --rename-type api::a.a " + site, `"api::a.a" is not OLD=NEW`},
		{"plan --from " + site + "/none " + site, "is not a site folder"},
	} {
		code, stdout, stderr := command(t, append([]string{"migrate"}, strings.Fields(c.args)...)...)
		if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}
