package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/store"
)

const cuisines = "api::cuisine.cuisine"

// editor writes to a served site, and reads its history.
type editor struct {
	*program
	site, token string
}

// edited creates a starter site, and a token for it.
func edited(t *testing.T) *editor {
	t.Helper()
	site := newGuide(t)
	return &editor{site: site, token: strings.TrimSpace(succeed(t, "token", "create", "--name", "ed", "--type", "full-access", site))}
}

// serve serves the site while fn runs.
func (e *editor) serve(t *testing.T, fn func()) {
	t.Helper()
	e.program = begin(t, "serve", "--listen", "127.0.0.1:0", e.site)
	fn()
	e.end()
}

func (e *editor) send(method, path, body string, headers ...string) (status int, answer string) {
	e.t.Helper()
	r, err := http.NewRequest(method, e.url+path, strings.NewReader(body))
	requireNil(e.t, err)
	r.Header.Set("Authorization", "Bearer "+e.token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	requireNil(e.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	requireNil(e.t, err)
	return response.StatusCode, string(text)
}

// do sends a write, which must succeed, and returns the documentId of the response.
func (e *editor) do(method, path, body string) string {
	e.t.Helper()
	status, answer := e.send(method, path, body)
	var made struct{ Data struct{ DocumentID string } }
	if status >= 300 || status != 204 && json.Unmarshal([]byte(answer), &made) != nil {
		e.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	return made.Data.DocumentID
}

// past is a version in a list.
type past struct {
	Revision uint64
	Action   string
	Actor    struct{ Kind, ID, Name string }
	Locale   string
	Status   string
	Current  bool
	Removed  *struct {
		Action string
		Actor  struct{ Kind, ID string }
	}
}

func (p past) String() string {
	text := fmt.Sprint(p.Action, " by ", p.Actor.Kind, " ", cmp.Or(p.Actor.Name, p.Actor.ID))
	if p.Removed != nil {
		text += fmt.Sprint(", removed: ", p.Removed.Action, " by ", p.Removed.Actor.Kind, " ", p.Removed.Actor.ID)
	}
	return strings.TrimSpace(text)
}

// pasts returns the versions at a path, newest first.
func (e *editor) pasts(path string) (list []past) {
	e.t.Helper()
	status, answer := e.send("GET", path, "")
	var all struct{ Data []past }
	if status != 200 || json.Unmarshal([]byte(answer), &all) != nil {
		e.t.Fatalf("%s: %d %s", path, status, answer)
	}
	return all.Data
}

// harmHistory damages values in the history of a type: those with the given indexes,
// counted from the oldest.
func harmHistory(t *testing.T, site, uid string, which ...int) {
	t.Helper()
	db, err := store.Open(filepath.Join(site, "data", "quire.db"), store.Options{})
	requireNil(t, err)
	err = db.Update(func(tx *store.Tx) error {
		all, err := tx.HistoryFrom(store.Replaced, nil, nil, 1000, 1<<20)
		all = slices.DeleteFunc(all, func(one store.HistoryValue) bool { return !bytes.Contains(one.Key, []byte(uid)) })
		for _, n := range which {
			one := all[n]
			one.Value[len(one.Value)-1] ^= 1
			if err := tx.PutHistory(store.Replaced, one.Key, one.Value); err != nil {
				return err
			}
		}
		return err
	})
	if err == nil {
		err = db.Close()
	}
	requireNil(t, err)
}

// Check reports damage in the history with its place. The damage does not affect current
// content. A repair removes the damaged versions and keeps the others.
func TestDamagedHistory(t *testing.T) {
	e := edited(t)
	var soups, story string
	var before, is []string
	var first uint64 // the revision of One; each write makes the next one
	read := func() (answers []string) {
		for _, path := range []string{"/api/cuisines/" + soups, "/api/cuisines?sort=name", "/api/stories/" + story + "?status=draft", "/api/stories/" + story} {
			status, answer := e.send("GET", path, "")
			answers = append(answers, fmt.Sprint(status, " ", answer))
		}
		return answers
	}
	e.serve(t, func() {
		soups = e.do("POST", "/api/cuisines", `{"data": {"name": "One"}}`)
		for _, name := range []string{"Two", "Three", "Four", "Five"} {
			e.do("PUT", "/api/cuisines/"+soups, `{"data": {"name": "`+name+`"}}`)
		}
		story = e.do("POST", "/api/stories?status=draft", `{"data": {"title": "One"}}`)
		e.do("PUT", "/api/stories/"+story+"?status=draft", `{"data": {"title": "Two"}}`)
		before = read()
		first = e.pasts("/api/cuisines/" + soups + "/history")[4].Revision
	})
	harmHistory(t, e.site, cuisines, 1) // Two, and One, which depends on it
	harmHistory(t, e.site, "api::story.story", 0)
	file := filepath.Join(e.site, "data", "quire.db")
	harmed, err := os.ReadFile(file)
	requireNil(t, err)
	requireReport := func(who string) {
		t.Helper()
		code, stdout, _ := command(t, "check", e.site)
		for _, want := range []string{
			file + ": history/" + cuisines + fmt.Sprintf(": 2 former versions cannot be read, the first: revision %d of %s %s", first+1, cuisines, soups),
			file + fmt.Sprintf(": history/api::story.story: 1 former version cannot be read, the first: revision %d of api::story.story %s", first+5, story),
			"its checksum does not match its content", "fix: run `quire check --repair`, which removes them; what is current is not affected",
		} {
			if code != 1 || !strings.Contains(stdout, want) {
				t.Errorf("%s: exit %d, no %q in\n%s", who, code, want, stdout)
			}
		}
	}
	requireReport("this command")
	if after, _ := os.ReadFile(file); !bytes.Equal(after, harmed) {
		t.Error("check has written to the file")
	}
	e.serve(t, func() {
		requireReport("the server")
		if is = read(); !slices.Equal(is, before) {
			t.Errorf("the documents are\n%s\nand were\n%s", is, before)
		}
		for i, want := range []int{410, 404, 200} {
			if status, answer := e.send("GET", fmt.Sprintf("/api/cuisines/%s/history/%d", soups, first+uint64(i)), ""); status != want || status == 200 && !strings.Contains(answer, "Three") {
				t.Errorf("revision %d: %d %s", first+uint64(i), status, answer)
			}
			status, answer := e.send("PUT", "/api/cuisines/"+soups, `{"data": {"name": "Late"}}`, "If-Match", fmt.Sprint(first+uint64(i)))
			if paths := strings.Contains(answer, `"paths":["name"]`); status != 412 || paths != (want == 200) || strings.Contains(answer, "paths") != paths {
				t.Errorf("a write for revision %d: %d %s", first+uint64(i), status, answer)
			}
		}
	})
	stdout := succeed(t, "check", "--repair", e.site)
	if !strings.Contains(stdout, "removed 3 former versions that could not be read") || !strings.Contains(stdout, "a copy of the data file as it was before the repair") || !strings.HasSuffix(stdout, "no problems\n") {
		t.Errorf("the repair says\n%s", stdout)
	}
	if got := succeed(t, "check", e.site); got != "no problems\n" {
		t.Error(got)
	}
	e.serve(t, func() {
		if is = read(); !slices.Equal(is, before) {
			t.Errorf("after the repair the documents are\n%s\nand were\n%s", is, before)
		}
		if list := e.pasts("/api/cuisines/" + soups + "/history"); len(list) != 3 || list[2].Revision != first+2 {
			t.Errorf("after the repair there are %v", list)
		}
		e.do("POST", fmt.Sprintf("/api/cuisines/%s/history/%d/restore", soups, first+2), "")
	})
}

// After a repair of entries and their former versions, the history can be read.
func TestRepairOfEntriesKeepsTheirHistory(t *testing.T) {
	e := edited(t)
	var id string
	e.serve(t, func() {
		cuisine := e.do("POST", "/api/cuisines", `{"data": {"name": "One"}}`)
		for n := range 3 {
			made := e.do("POST", "/api/restaurants", fmt.Sprintf(`{"data": {"name": "R%d", "slug": "r%d", "summary": "s", "cuisines": ["%s"]}}`, n, n, cuisine))
			if n == 0 {
				id = made
			}
			e.do("PUT", "/api/restaurants/"+made, fmt.Sprintf(`{"data": {"name": "Then %d"}}`, n))
		}
	})
	harmSite(t, e.site)
	stdout := succeed(t, "check", "--repair", e.site)
	if !strings.HasSuffix(stdout, "no problems\n") {
		t.Fatalf("the repair says\n%s", stdout)
	}
	e.serve(t, func() {
		for _, v := range e.pasts("/api/restaurants/" + id + "/history") {
			if status, answer := e.send("GET", fmt.Sprintf("/api/restaurants/%s/history/%d?status=%s", id, v.Revision, v.Status), ""); status != 200 {
				t.Errorf("revision %d: %d %s", v.Revision, status, answer)
			}
		}
	})
}

// An export reports that it leaves out the history. A site that is made from it has
// none.
func TestExportLeavesTheHistoryOut(t *testing.T) {
	e := edited(t)
	archive := filepath.Join(t.TempDir(), "out.tar.gz")
	e.serve(t, func() {
		soups := e.do("POST", "/api/cuisines", `{"data": {"name": "One"}}`)
		if _, stdout, stderr := command(t, "export", e.site, archive); strings.Contains(stdout+stderr, "former") {
			t.Errorf("with no history it says\n%s%s", stdout, stderr)
		}
		e.do("PUT", "/api/cuisines/"+soups, `{"data": {"name": "Two"}}`)
		e.do("DELETE", "/api/cuisines/"+soups, "")
		e.do("POST", "/api/cuisines", `{"data": {"name": "Three"}}`)
	})
	requireNil(t, os.Remove(archive))
	_, stdout, stderr := command(t, "export", e.site, archive)
	if said := stdout + stderr; !strings.Contains(said, "former versions") || !strings.Contains(said, "a backup holds its history too") {
		t.Errorf("it says\n%s", said)
	}
	other := edited(t)
	succeed(t, "import", "--replace", other.site, archive)
	other.serve(t, func() {
		var list struct{ Data []struct{ DocumentID string } }
		if status := other.get("/api/cuisines", "", &list); status != 200 || len(list.Data) != 1 {
			t.Fatalf("%d %v", status, list)
		}
		if pasts := other.pasts("/api/cuisines/" + list.Data[0].DocumentID + "/history"); len(pasts) != 1 || pasts[0].String() != "import by command import" {
			t.Errorf("after the import there are %v", pasts)
		}
	})
}
