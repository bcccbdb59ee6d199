package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"quire/auth/people/desk"
	"quire/content/migrate"
	"quire/schema"
	"quire/store"
)

// renamedGuide renames stories and quotes in all files of the guide.
func renamedGuide(t *testing.T, site string) *schema.Site {
	t.Helper()
	to := filepath.Join(t.TempDir(), "to")
	r := strings.NewReplacer("api::story.story", "api::tale.tale", "block.quote", "said.words", `"story"`, `"tale"`, `"stories"`, `"tales"`)
	paths := strings.NewReplacer("api/story/content-types/story", "api/tale/content-types/tale", "components/block/quote", "components/said/words")
	err := fs.WalkDir(os.DirFS(site), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".json" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(site, name))
		if err != nil {
			return err
		}
		name = filepath.Join(to, paths.Replace(name))
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(r.Replace(string(text))), 0o600))
	})
	check(t, err)
	loaded, err := schema.Load(os.DirFS(to))
	check(t, err)
	return loaded
}

// call sends a request to the API with a token, and requires success.
func call(t *testing.T, a *App, token, method, path, body string) map[string]any {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	a.server.Handler().ServeHTTP(w, r)
	answer := map[string]any{}
	if w.Code/100 != 2 || w.Body.Len() > 0 && json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return answer
}

// mentions lists the places in a data file that contain one of the texts.
func mentions(t *testing.T, a *App, texts ...string) (found []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "copy.db")
	check(t, a.db.CopyTo(file))
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{ReadOnly: true})
	check(t, err)
	defer db.Close()
	var walk func(path string, b *bbolt.Bucket) error
	walk = func(path string, b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			for _, text := range texts {
				if bytes.Contains(k, []byte(text)) || bytes.Contains(v, []byte(text)) {
					found = append(found, fmt.Sprintf("%s/%q", path, k))
				}
			}
			if v == nil {
				return walk(path+"/"+string(k), b.Bucket(k))
			}
			return nil
		})
	}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error { return walk(string(name), b) })
	})
	check(t, err)
	return found
}

// After a type and a component are renamed, nothing in the data file has the former
// names. Everything about them continues: entries, history, schedules, releases, roles,
// tokens, webhooks, and the data of accounts of the admin.
func TestRenameTypesEverywhere(t *testing.T) {
	a, _ := startGuide(t)
	raw, err := a.do(t.Context(), "token create", []byte(`{"name": "full", "kind": "full-access"}`))
	check(t, err)
	full := fmt.Sprint(raw)
	if raw, err = a.do(t.Context(), "token create", []byte(`{"name": "tales", "kind": "custom", "permissions": ["api::story.story.find"]}`)); err != nil {
		t.Fatal(err)
	}
	custom := fmt.Sprint(raw)
	list := call(t, a, full, "GET", "/api/stories?populate=*", "")["data"].([]any)
	id := list[0].(map[string]any)["documentId"].(string)
	total := len(list)
	call(t, a, full, "PUT", "/api/stories/"+id+"?status=draft", `{"data": {"title": "Anew"}}`)
	call(t, a, full, "POST", "/api/stories/"+id+"/actions/publish", fmt.Sprintf(`{"at": %q}`, time.Now().AddDate(1, 0, 0).Format(time.RFC3339)))
	call(t, a, full, "POST", "/api/_webhooks", `{"data": {"name": "tell", "url": "https://example.com/", "types": ["api::story.story"]}}`)
	call(t, a, full, "POST", "/api/_releases", fmt.Sprintf(`{"data": {"name": "June", "steps": [{"type": "api::story.story", "documentId": %q, "action": "publish"}]}}`, id))
	call(t, a, full, "POST", "/api/users-permissions/roles", `{"name": "Reader", "description": "r", "permissions": {"api::story": {"controllers": {"story": {"find": {"enabled": true}}}}}}`)
	d := desk.New(a.db, nil)
	_, err = d.Save("ada", desk.Autosave{AutosaveKey: desk.AutosaveKey{UID: "api::story.story", DocumentID: id, Locale: "en"}, Form: []byte(`{"body": [{"__component": "block.quote", "text": "block.quote it is"}]}`)})
	err = errors.Join(err,
		d.SetPreferences("ada", []byte(`{"list.api::story.story": ["title"]}`)),
		a.db.Update(func(tx *store.Tx) error {
			return tx.PutRecord("admin.roles", "tellers", []byte(`{"name": "Tellers", "rights": {"types": {"api::story.story": {"actions": ["read"]}}}}`))
		}),
	)
	check(t, err)
	if len(mentions(t, a, "api::story.story", "block.quote")) < 20 {
		t.Errorf("it is mentioned too seldom")
	}
	to := renamedGuide(t, a.at.Site)
	plan, err := a.Evolve(t.Context(), migrate.Evolution{To: to, Types: []migrate.Rename{{Old: "api::story.story", New: "api::tale.tale"}, {Old: "block.quote", New: "said.words"}}}, noFiles)
	if err != nil || len(plan.Of(migrate.Unconvertible)) > 0 {
		t.Fatalf("%v\n%s", err, plan.Text())
	}
	for _, place := range mentions(t, a, "api::story.story", "block.quote") {
		typed, done := strings.Contains(place, "admin.forms"), strings.Contains(place, "records/audit")
		if !typed && !done { // values that users typed, and the record of what was done, stay
			t.Errorf("it is still in %s", place)
		}
	}
	requireRenamed(t, a, d, id, full, custom, total)
}

func noFiles() (func() error, error) { return nil, nil }

// requireRenamed requires that everything about stories is now about tales.
func requireRenamed(t *testing.T, a *App, d *desk.Desk, id, full, custom string, total int) {
	t.Helper()
	if list := call(t, a, custom, "GET", "/api/tales", "")["data"].([]any); len(list) != total {
		t.Errorf("%d tales, want %d", len(list), total)
	}
	for path, want := range map[string]string{
		"/api/tales/" + id + "/history?status=draft": "action:update",
		"/api/tales/" + id + "/schedule":             "action:publish",
		"/api/_webhooks":                             "types:[api::tale.tale]",
		"/api/_releases":                             "name:June",
	} {
		if got := fmt.Sprint(call(t, a, full, "GET", path, "")); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	form, err := d.Autosave("ada", desk.AutosaveKey{UID: "api::tale.tale", DocumentID: id, Locale: "en"})
	if err != nil || form == nil || string(form.Form) != `{"body": [{"__component": "said.words", "text": "block.quote it is"}]}` {
		t.Errorf("the form: %+v, %v", form, err)
	}
	if text, err := d.Preferences("ada"); string(text) != `{"list.api::tale.tale": ["title"]}` {
		t.Errorf("the preferences: %s, %v", text, err)
	}
}

// A served site changes to other schemas together with its content. If the change is
// refused, or the files cannot be written, nothing changes.
func TestEvolveWhileServing(t *testing.T) {
	a, _ := startGuide(t)
	to := filepath.Join(t.TempDir(), "to")
	check(t, os.CopyFS(to, os.DirFS(a.at.Site)))
	edit(t, to, "src/api/restaurant/content-types/restaurant/schema.json", `"seats": {
      "type": "integer",
      "min": 1,
      "max": 500
    }`, `"places": {
      "type": "string"
    }`)
	site, err := schema.Load(os.DirFS(to))
	check(t, err)
	e := migrate.Evolution{To: site, Attributes: []migrate.Rename{{Type: "api::restaurant.restaurant", Old: "seats", New: "places"}}}
	undone := 0
	full := errors.New("the disk is full")
	undo := func() error { undone++; return nil }
	if _, err := a.Evolve(t.Context(), e, func() (func() error, error) { return undo, full }); !errors.Is(err, full) || undone != 1 {
		t.Errorf("%v, undone %d times", err, undone)
	}
	if status, body := ask(a, "/api/restaurants?filters[seats][$gt]=0"); status != 200 || a.db.Suspended() {
		t.Errorf("after that: %d %s", status, body)
	}
	none := e
	none.Attributes = nil
	none.Drop = []migrate.Removed{{Type: "api::restaurant.restaurant", Attribute: "name"}}
	if _, err := a.Evolve(t.Context(), none, func() (func() error, error) { t.Error("it is installed"); return nil, nil }); !errors.As(err, new(*migrate.MigrationError)) {
		t.Errorf("what is refused: %v", err)
	}
	plan, err := a.Evolve(t.Context(), e, func() (func() error, error) { return undo, nil })
	if err != nil || undone != 1 || len(plan.Of(migrate.Converted)) != 1 || plan.Of(migrate.Converted)[0].Documents != 4 {
		t.Errorf("%v, undone %d times\n%s", err, undone, plan.Text())
	}
	if status, body := ask(a, "/api/restaurants?filters[places][$notNull]=true"); status != 200 || !strings.Contains(body, `"places":"`) {
		t.Errorf("afterwards: %d %s", status, body)
	}
	if err := sowCuisine(t, a); err != nil {
		t.Errorf("a write: %v", err)
	}
}

// If the changed content cannot be read at once, its files stay, and it is served with
// them as soon as possible.
func TestEvolveThatCannotBeServed(t *testing.T) {
	a, log := startGuide(t)
	heal := breakTokens(t, a)
	to := filepath.Join(t.TempDir(), "to")
	check(t, os.CopyFS(to, os.DirFS(a.at.Site)))
	edit(t, to, cuisineSchema, `"name": {`, `"title": {`)
	site, err := schema.Load(os.DirFS(to))
	check(t, err)
	e := migrate.Evolution{To: site, Attributes: []migrate.Rename{{Type: "api::cuisine.cuisine", Old: "name", New: "title"}}}
	install := func() (func() error, error) { return func() error { t.Error("it is undone"); return nil }, nil }
	if _, err := a.Evolve(t.Context(), e, install); err == nil || !strings.Contains(err.Error(), `token "broken"`) {
		t.Fatalf("it says %v", err)
	}
	if status, body := ask(a, "/api/cuisines?sort=name"); status != 200 || !strings.Contains(body, `"name":"`) {
		t.Errorf("meanwhile: %d %s", status, body)
	}
	heal()
	a.reopen()
	if status, body := ask(a, "/api/cuisines?sort=title"); status != 200 || !strings.Contains(body, `"title":"`) {
		t.Errorf("afterwards: %d %s\n%s", status, body, log)
	}
}
