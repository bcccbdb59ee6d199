package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/app"
	"quire/transfer/push"
)

// twoSites are a site and one that was made from its backup. Both are served.
type twoSites struct {
	t                   *testing.T
	staging, production *program
	from, to            string // their folders
	token               string
}

// parted returns two sites with some content that was the same.
func parted(t *testing.T, seed func(p *program, token string)) *twoSites {
	t.Helper()
	s := &twoSites{t: t, from: newGuide(t), to: newGuide(t)}
	s.token = strings.TrimSpace(succeed(t, "token", "create", "--name", "robot", "--type", "full-access", s.to))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", s.to)
	seed(p, s.token)
	backup := filepath.Join(t.TempDir(), "b.tar.zst")
	succeed(t, "backup", backup, s.to)
	succeed(t, "restore", backup, s.from)
	s.production, s.staging = p, begin(t, "serve", "--listen", "127.0.0.1:0", s.from)
	return s
}

// do sends a write that must succeed, and returns the documentId.
func (s *twoSites) do(p *program, method, path, body string) string {
	s.t.Helper()
	return doWrite(s.t, p, s.token, method, path, body)
}

func doWrite(t *testing.T, p *program, token, method, path, body string) string {
	t.Helper()
	if method == http.MethodDelete {
		r, _ := http.NewRequest(method, p.url+"/api/"+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil || response.Body.Close() != nil || response.StatusCode >= 300 {
			t.Fatalf("%s %s: %v %v", method, path, response, err)
		}
		return ""
	}
	var made struct{ Data struct{ DocumentID string } }
	var all json.RawMessage
	if status := p.send(token, method, "/api/"+path, `{"data": `+body+`}`, &all); status >= 300 || json.Unmarshal(all, &made) != nil {
		t.Fatalf("%s %s: %d %s", method, path, status, all)
	}
	return made.Data.DocumentID
}

// shown returns what a site shows for a path.
func (s *twoSites) shown(p *program, path string) string {
	s.t.Helper()
	var v json.RawMessage
	p.get("/api/"+path, s.token, &v)
	return string(v)
}

// push pushes with --json.
func (s *twoSites) push(args ...string) (out app.Pushed) {
	s.t.Helper()
	text := succeed(s.t, append([]string{"push", "--json", s.from, s.to}, args...)...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return out
}

// refused pushes, which must be refused, and returns the conflicts.
func (s *twoSites) refused() (out app.Pushed) {
	s.t.Helper()
	code, stdout, stderr := command(s.t, "push", "--json", s.from, s.to)
	if code != exitFailed || !strings.Contains(stderr, "both sites have changed") || json.Unmarshal([]byte(stdout), &out) != nil || out.Done {
		s.t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	return out
}

// same requires that both sites show the same for some paths.
func (s *twoSites) same(paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		if a, b := s.shown(s.staging, path), s.shown(s.production, path); a != b {
			s.t.Errorf("%s:\n%s\n%s", path, a, b)
		}
	}
}

const (
	drafts      = "restaurants?status=draft&locale=*&sort[0]=documentId&sort[1]=locale&fields[0]=name&fields[1]=seats&populate[cuisines][fields]=name&populate[cook][fields]=name&populate[opening][fields]=day&populate[photo][fields]=name"
	publishedOf = "restaurants?status=published&locale=*&sort[0]=documentId&sort[1]=locale&fields[0]=name&populate[cuisines][fields]=name&populate[opening][fields]=day"
)

// withoutIDs removes what is numbered by each site.
func withoutIDs(text string) string {
	for {
		i := strings.Index(text, `"id":`)
		if i < 0 {
			return text
		}
		end := i + strings.IndexAny(text[i:], ",}")
		if text[end] == ',' {
			end++
		}
		text = text[:i] + text[end:]
	}
}

// What was created, changed, published, unpublished and deleted on one site is so on the other one
// after a push, with links in circles, components, locales and private attributes; what only the
// other one has changed stays; and undo takes the push back.
func TestPush(t *testing.T) {
	var old, gone, quiet, kept string
	s := parted(t, func(p *program, token string) {
		old = doWrite(t, p, token, "POST", "restaurants", `{"name": "Old", "seats": 4, "opening": [{"day": "mon"}]}`)
		gone = doWrite(t, p, token, "POST", "restaurants", `{"name": "Gone"}`)
		quiet = doWrite(t, p, token, "POST", "restaurants", `{"name": "Quiet"}`)
		kept = doWrite(t, p, token, "POST", "cuisines", `{"name": "Kept"}`)
	})
	before := withoutIDs(s.shown(s.production, drafts) + s.shown(s.production, publishedOf))
	cuisine := s.do(s.staging, "POST", "cuisines", `{"name": "Thai"}`)
	cook := s.do(s.staging, "POST", "cooks", `{"name": "Ana"}`)
	fresh := s.do(s.staging, "POST", "restaurants", fmt.Sprintf(`{"name": "Fresh", "owner_note": "secret", "cuisines": [%q], "cook": %q, "opening": [{"day": "fri"}]}`, cuisine, cook))
	s.do(s.staging, "PUT", "restaurants/"+fresh+"?locale=de", `{"name": "Frisch"}`)
	s.do(s.staging, "PUT", "restaurants/"+fresh+"?status=draft", `{"name": "Fresher"}`)
	s.do(s.staging, "PUT", "restaurants/"+old, fmt.Sprintf(`{"name": "New", "cuisines": [%q], "opening": [{"day": "tue"}, {"day": "wed"}]}`, cuisine))
	s.do(s.staging, "DELETE", "restaurants/"+gone, "")
	if status := s.staging.send(s.token, "POST", "/api/restaurants/"+quiet+"/actions/unpublish", "{}", new(json.RawMessage)); status >= 300 {
		t.Fatal(status)
	}
	s.do(s.production, "PUT", "cuisines/"+kept, `{"name": "Kept here"}`)
	s.do(s.production, "POST", "restaurants", `{"name": "Only here", "opening": [{"day": "sun"}, {"day": "sat"}]}`) // takes ids of components

	dry := s.push("--dry-run")
	if dry.Done || len(dry.Conflicts) > 0 || dry.Kept != 2 || len(dry.Left) > 0 {
		t.Errorf("dry run: %+v", dry)
	}
	if got := s.shown(s.production, "cuisines?filters[name]=Thai"); strings.Contains(got, "Thai") {
		t.Errorf("a dry run has written %s", got)
	}
	done := s.push()
	if !done.Done || len(done.Entries) != len(dry.Entries) {
		t.Errorf("%+v, and the dry run said %+v", done, dry)
	}
	only := "&filters[name][$notContains]=Only"
	for _, path := range []string{drafts + only, publishedOf + only} {
		if a, b := withoutIDs(s.shown(s.staging, path)), withoutIDs(s.shown(s.production, path)); a != b {
			t.Errorf("%s:\n%s\n%s", path, a, b)
		}
	}
	if got := s.shown(s.production, "cuisines?sort=name&fields=name"); !strings.Contains(got, "Kept here") || !strings.Contains(got, "Thai") {
		t.Error(got)
	}
	if again := s.push(); len(again.Entries) > 0 || again.Kept != 2 {
		t.Errorf("a second push: %+v", again)
	}
	succeed(t, "check", s.to)
	if a, b := privateNote(t, s.from), privateNote(t, s.to); a != "secret" || a != b {
		t.Errorf("a private attribute is %q and %q", a, b)
	}

	succeed(t, "undo", "--by", "command:push", "--since", "1h", s.to)
	if after := withoutIDs(s.shown(s.production, drafts+only) + s.shown(s.production, publishedOf+only)); after != before {
		t.Errorf("after the undo:\n%s\nwant\n%s", after, before)
	}
	requireNoted(t, s.to, "data.push", "push", s.from, s.to)
	if got := withoutIDs(s.shown(s.production, drafts+only)); got != withoutIDs(s.shown(s.staging, drafts+only)) {
		t.Error(got)
	}
}

// A document that both sites have changed is a conflict, which names the attributes, and nothing
// is pushed. Once the two are the same, or with --skip-conflicts, the push goes on.
func TestPushOfWhatBothHaveChanged(t *testing.T) {
	var one, two, three string
	s := parted(t, func(p *program, token string) {
		one = doWrite(t, p, token, "POST", "restaurants", `{"name": "One", "seats": 1}`)
		two = doWrite(t, p, token, "POST", "cuisines", `{"name": "Two"}`)
		three = doWrite(t, p, token, "POST", "cuisines", `{"name": "Three"}`)
	})
	s.do(s.staging, "PUT", "restaurants/"+one, `{"name": "One of staging"}`)
	s.do(s.production, "PUT", "restaurants/"+one, `{"name": "One of production", "seats": 2}`)
	s.do(s.staging, "PUT", "cuisines/"+two, `{"name": "Second"}`)
	s.do(s.staging, "DELETE", "cuisines/"+three, "")
	s.do(s.production, "PUT", "cuisines/"+three, `{"name": "Third"}`)
	out := s.refused()
	if len(out.Conflicts) != 2 || len(out.Entries) != 0 {
		t.Fatalf("%+v", out)
	}
	at := slices.IndexFunc(out.Conflicts, func(c push.Conflict) bool { return c.DocumentID == one })
	if c := out.Conflicts[at]; c.Title != "One of staging" || !slices.Contains(c.Attributes, "name (en, published)") || !slices.Contains(c.Attributes, "seats (en, draft)") {
		t.Errorf("%+v", c)
	}
	if c := out.Conflicts[1-at]; c.Reason != "it was deleted in the first site and changed in the second" {
		t.Errorf("%+v", c)
	}
	if got := s.shown(s.production, "cuisines/"+two); !strings.Contains(got, "Two") {
		t.Errorf("nothing was to be written: %s", got)
	}
	_, stdout, _ := command(t, "push", "--dry-run", s.from, s.to)
	if !strings.Contains(stdout, "conflict api::restaurant.restaurant "+one+" One of staging: both have changed it: name (en, draft)") {
		t.Error(stdout)
	}
	if out := s.push("--skip-conflicts"); !out.Done || len(out.Entries) != 1 || len(out.Conflicts) != 2 {
		t.Errorf("%+v", out)
	}
	s.same("cuisines/" + two + "?fields=name")

	// People make them alike in both, and the push notices.
	s.do(s.production, "PUT", "restaurants/"+one, `{"name": "One of staging"}`)
	s.do(s.staging, "PUT", "restaurants/"+one, `{"seats": 2}`)
	s.do(s.production, "DELETE", "cuisines/"+three, "")
	if out := s.push(); len(out.Conflicts)+len(out.Entries) > 0 {
		t.Errorf("%+v", out)
	}
	s.do(s.staging, "PUT", "restaurants/"+one, `{"name": "Uno"}`)
	if out := s.push(); len(out.Conflicts) > 0 || len(out.Entries) != 2 {
		t.Errorf("%+v", out)
	}

	// In the other direction, the first push counts too.
	s.from, s.to, s.staging, s.production = s.to, s.from, s.production, s.staging
	s.do(s.staging, "PUT", "cuisines/"+two, `{"name": "Deux"}`)
	if out := s.push(); len(out.Conflicts) > 0 || len(out.Entries) != 1 {
		t.Errorf("back: %+v", out)
	}
	s.from, s.to, s.staging, s.production = s.to, s.from, s.production, s.staging
	s.do(s.staging, "PUT", "cuisines/"+two, `{"name": "Zwei"}`)
	if out := s.push(); len(out.Conflicts) > 0 || len(out.Entries) != 1 {
		t.Errorf("forth: %+v", out)
	}
}

// New files are pushed with their content, and records of files as far as the content is the same.
// A new folder, an attribute and a type of the first site come along.
func TestPushOfFilesAndSchemas(t *testing.T) {
	var cuisine, file string
	s := parted(t, func(p *program, token string) {
		cuisine = doWrite(t, p, token, "POST", "cuisines", `{"name": "Thai"}`)
		file = uploaded(t, p, token, "old.txt", "old")
	})
	uploaded(t, s.staging, s.token, "new.txt", "the new file")
	s.staging.end()
	edit(t, s.from, cuisineSchema, `"attributes": {`, `"attributes": {"hot": {"type": "boolean"},`)
	writeIn(t, s.from, "src/api/wine/content-types/wine/schema.json", `{"kind": "collectionType", "collectionName": "wines",
		"info": {"singularName": "wine", "pluralName": "wines", "displayName": "Wine"}, "attributes": {"name": {"type": "string"}}}`)
	s.staging = begin(t, "serve", "--listen", "127.0.0.1:0", s.from)
	s.do(s.staging, "PUT", "cuisines/"+cuisine, `{"hot": true}`)
	s.do(s.staging, "POST", "wines", `{"name": "Red"}`)
	dry := s.push("--dry-run")
	if dry.Done || len(dry.Schemas) != 2 || dry.Files != 1 {
		t.Fatalf("%+v", dry)
	}
	if text, _ := os.ReadFile(filepath.Join(s.to, cuisineSchema)); bytes.Contains(text, []byte("hot")) {
		t.Error("a dry run has changed a schema")
	}
	if out := s.push(); !out.Done || len(out.Entries) != len(dry.Entries) {
		t.Errorf("%+v", out)
	}
	s.same("wines?fields=name", "cuisines/"+cuisine+"?fields[0]=name&fields[1]=hot")
	var files []struct{ Name, URL, DocumentID string }
	s.production.get("/api/upload/files?sort=name", s.token, &files)
	if len(files) != 2 || files[0].Name != "new.txt" {
		t.Fatalf("%+v", files)
	}
	if got := fetched(t, s.production.url+files[0].URL); got != "the new file" {
		t.Error(got)
	}

	// A deleted file stays, and says so.
	r, _ := http.NewRequest(http.MethodDelete, s.staging.url+"/api/upload/files/"+fileID(t, s, file), nil)
	r.Header.Set("Authorization", "Bearer "+s.token)
	if response, err := http.DefaultClient.Do(r); err != nil || response.Body.Close() != nil || response.StatusCode != 200 {
		t.Fatal(response, err)
	}
	if out := s.push(); len(out.Left) != 1 || out.Left[0].DocumentID != file || len(out.Entries) > 0 {
		t.Errorf("%+v", out)
	}

	// What both have and differs is for people.
	s.staging.end()
	edit(t, s.from, cuisineSchema, `"boolean"`, `"integer"`)
	code, _, stderr := command(t, "push", s.from, s.to)
	if code != exitFailed || !strings.Contains(stderr, "api::cuisine.cuisine.hot (in the second boolean, and in the first integer)") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// Sites that were never the same, a site and itself, and what is no site are refused.
func TestPushErrors(t *testing.T) {
	site, other := newGuide(t), newGuide(t)
	lines := `{"type": "api::cuisine.cuisine", "data": {"name": "NAME"}}`
	succeed(t, "import", write(t, lines), site)
	succeed(t, "import", write(t, lines), other)
	for _, test := range []struct {
		args, want string
		code       int
	}{
		{site + " " + other, "share no past", exitFailed},
		{site + " " + site, "the same data file", exitFailed},
		{site + " " + newGuide(t), "there is no data file", exitFailed},
		{newGuide(t) + " " + site, "there is no data file", exitFailed},
		{filepath.Join(site, "site.json") + " " + other, "is not a site folder", exitMisuse},
		{"", "", exitMisuse},
	} {
		code, stdout, stderr := command(t, append([]string{"push"}, strings.Fields(test.args)...)...)
		if code != test.code || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d, %s%s", test.args, code, stdout, stderr)
		}
	}
}

// A push that could not be taken back is refused, and so is one whose values the schemas of the second
// site do not accept. Nothing is stored then.
func TestPushLimits(t *testing.T) {
	from, to, backup := newGuide(t), newGuide(t), filepath.Join(t.TempDir(), "b.tar.zst")
	succeed(t, "import", write(t, strings.ReplaceAll(soup, "NAME", "Soup")+bread), to)
	succeed(t, "backup", backup, to)
	succeed(t, "restore", backup, from)
	refused := func(want string, flags ...string) {
		t.Helper()
		code, _, stderr := command(t, append([]string{"push", from, to}, flags...)...)
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s, want %s", code, stderr, want)
		}
		if got := names(t, "cuisines?sort=name", to); got != "Bread Soup" {
			t.Errorf("stored: %s", got)
		}
	}
	exchanged := strings.NewReplacer("NAME", "Interim", "Bread", "Soup").Replace(soup + bread)
	succeed(t, "import", "--merge", write(t, strings.ReplaceAll(soup, "NAME", "Interim")), from)
	succeed(t, "import", "--merge", write(t, exchanged), from)
	succeed(t, "import", "--merge", write(t, strings.ReplaceAll(soup, "NAME", "Bread")), from)
	refused("api::cuisine.cuisine aaaaaaaaaaaaaaaaaaaaaaaa cannot be pushed, and nothing has changed: This attribute must be unique", "--dry-run")
	refused("aaaaaaaaaaaaaaaaaaaaaaaa cannot be pushed")

	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, `{"type": "api::cuisine.cuisine", "data": {"name": "C%d"}}`+"\n", i)
	}
	succeed(t, "import", "--merge", write(t, many.String()), from)
	refused("a push makes at most 1000")
}

// privateNote returns the private note of a site, which only an export has.
func privateNote(t *testing.T, site string) string {
	t.Helper()
	_, rest, _ := strings.Cut(succeed(t, "export", "--ndjson", "-", site), `"owner_note":"`)
	note, _, _ := strings.Cut(rest, `"`)
	return note
}

// uploaded uploads a text file, and returns its documentId.
func uploaded(t *testing.T, p *program, token, name, text string) string {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("files", name)
	requireNil(t, err)
	io.WriteString(part, text)
	w.Close()
	r, _ := http.NewRequest(http.MethodPost, p.url+"/api/upload", &form)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", w.FormDataContentType())
	response, err := http.DefaultClient.Do(r)
	requireNil(t, err)
	defer response.Body.Close()
	var files []struct{ DocumentID string }
	if err := json.NewDecoder(response.Body).Decode(&files); err != nil || len(files) != 1 {
		t.Fatal(response.Status, err)
	}
	return files[0].DocumentID
}

// fileID returns the numeric id of a file on the first site.
func fileID(t *testing.T, s *twoSites, documentID string) string {
	t.Helper()
	var files []struct {
		ID         int
		DocumentID string
	}
	s.staging.get("/api/upload/files", s.token, &files)
	for _, f := range files {
		if f.DocumentID == documentID {
			return fmt.Sprint(f.ID)
		}
	}
	t.Fatal("there is no such file")
	return ""
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	requireNil(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	requireNil(t, err)
	return string(text)
}
