//go:build !noadmin

package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/app/inspect"
	"quire/app/templates"
	"quire/store"
	"quire/test/ledger"
	"quire/test/power"
	outside "quire/test/program"
)

// powerWork is something that quire does in a folder, and what must be there after a cut of
// the power.
type powerWork struct {
	name  string
	do    func(*powered)
	after func(t *testing.T, folder string, n powerNotes) error
}

var powerWorks = []powerWork{
	{"commands", useCommands, afterCommands},
	{"uploads", uploadFiles, afterUploads},
	{"types", changeTypes, afterTypes},
	{"stream", streamWrites, afterStream},
}

// A cut of the power loses nothing that was acknowledged, also of what is not in the data
// file. Whenever it comes, each file is whole.
//
//	go test ./command -run TestPowerCuts -long -v    2,000 cuts
func TestPowerCuts(t *testing.T) {
	for _, work := range powerWorks {
		t.Run(work.name, func(t *testing.T) {
			if _, folder := power.Ordered(); folder != "" {
				work.do(newPowered(t, folder))
				return
			}
			seed, cuts := outside.Chance(t, 20, 500)
			trace := power.Record(t, work.name)
			wrong, notes := trace.Cut(t, seed, cuts, func(string) bool { return false }, func(left, notes string) error {
				return work.after(t, left, readNotes(notes))
			})
			for _, err := range wrong {
				t.Error(err)
			}
			t.Logf("%d cuts during %d system calls; done: %d", cuts, trace.Calls(), len(readNotes(notes).done))
		})
	}
}

// powered is the process whose power is cut.
type powered struct {
	*testing.T
	folder string
	notes  *os.File
}

func newPowered(t *testing.T, folder string) *powered {
	notes, err := os.Create(filepath.Join(folder, power.Notes))
	requireNil(t, err)
	t.Cleanup(func() { notes.Close() })
	return &powered{t, folder, notes}
}

func (p *powered) in(name string) string { return filepath.Join(p.folder, name) }

// step does something. Its result, a line, is noted when it is done.
func (p *powered) step(name string, do func() string) {
	p.Helper()
	fmt.Fprintln(p.notes, "begun", name)
	result := do()
	if p.Failed() {
		p.FailNow()
	}
	fmt.Fprintln(p.notes, "done", name, strings.TrimSpace(result))
}

// settle adds a setting to site.json, on the disk.
func (p *powered) settle(site, setting string) {
	p.Helper()
	edit(p.T, site, "site.json", "{", "{"+setting+",")
	requireNil(p, store.SyncTree(site))
}

// powerNotes are what was begun, and the results of what was done.
type powerNotes struct {
	begun, done map[string]string
}

func readNotes(text string) powerNotes {
	n := powerNotes{map[string]string{}, map[string]string{}}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, result, _ := strings.Cut(rest, " ")
		map[string]map[string]string{"begun": n.begun, "done": n.done}[word][name] = result
	}
	return n
}

// contentSum stands for the content of a site and its uploads.
func contentSum(t *testing.T, site string) (string, error) {
	code, lines, stderr := command(t, "export", "--ndjson", site, "-")
	if code != exitDone {
		return "", errors.New(stderr)
	}
	sum := sha256.New()
	io.WriteString(sum, lines)
	for _, name := range slices.Sorted(maps.Keys(linked(lines))) {
		text, err := os.ReadFile(filepath.Join(site, "data", "uploads", name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(text))
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

var linkedFile = regexp.MustCompile(`"/uploads/([^"]+)"`)

// linked are the files that lines name.
func linked(lines string) map[string]bool {
	all := map[string]bool{}
	for _, m := range linkedFile.FindAllStringSubmatch(lines, -1) {
		all[m[1]] = true
	}
	return all
}

func (p *powered) contentSum(site string) string {
	p.Helper()
	sum, err := contentSum(p.T, site)
	requireNil(p, err)
	return sum
}

// has requires the content of a site if a step is done. Until then the site may have none.
func (n powerNotes) has(t *testing.T, step, site string) error {
	want, done := n.done[step]
	if _, err := os.Stat(filepath.Join(site, "data", "quire.db")); !done && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(site, "src")); !done && errors.Is(err, fs.ErrNotExist) {
		return emptyWithout(t, site)
	}
	got, err := contentSum(t, site)
	if err == nil && done && got != want {
		err = errors.New("it has other content")
	}
	if err != nil {
		return fmt.Errorf("%s (done: %t): %w", step, done, err)
	}
	return inOrderBut(t, site)
}

// emptyWithout requires that a site without schemas has no content that needs them.
func emptyWithout(t *testing.T, site string) error {
	guide, err := fs.Sub(templates.Files, "guide/src")
	if err == nil {
		err = os.CopyFS(filepath.Join(site, "src"), guide)
	}
	if err != nil {
		return err
	}
	if code, lines, stderr := command(t, "export", "--ndjson", site, "-"); code != exitDone || strings.Contains(lines, "api::") {
		return fmt.Errorf("content without its schemas: %s%.300s", stderr, lines)
	}
	return nil
}

// remains is what check says of what a crash may leave.
var remains = regexp.MustCompile(`is a stray: no record names it|was left behind by a run that was cut off`)

// inOrderBut requires that check finds nothing but remains.
func inOrderBut(t *testing.T, site string) error {
	_, stdout, stderr := command(t, "check", "--json", site)
	var report inspect.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		return fmt.Errorf("check: %w\n%s", err, stderr)
	}
	for _, p := range report.Problems {
		if !remains.MatchString(p.Message) {
			return fmt.Errorf("check: %s: %s: %s", p.File, p.Place, p.Message)
		}
	}
	return nil
}

// useCommands runs the commands that write files.
func useCommands(p *powered) {
	from := filepath.Join(p.TempDir(), "from") // not in the folder, so it is on the disk
	succeed(p.T, "new", from)
	u := p.serve(from)
	u.upload(textFile(1), "")
	u.upload(picture(1), "")
	u.end()
	succeed(p.T, "import", from, write(p.T, guideLines(3)))
	archive := filepath.Join(p.TempDir(), "from.tar.gz")
	succeed(p.T, "export", from, archive)
	backup, again := p.in("site.tar.zst"), p.in("again.tar.gz")
	p.step("new", func() string { succeed(p.T, "new", "--template", "blank", p.in("new")); return "" })
	p.step("import", func() string {
		succeed(p.T, "import", archive, p.in("imported"))
		return p.contentSum(p.in("imported"))
	})
	p.step("export", func() string { succeed(p.T, "export", p.in("imported"), again); return "" })
	p.step("backup", func() string { succeed(p.T, "backup", p.in("imported"), backup); return "" })
	succeed(p.T, "new", p.in("restored"))
	p.step("restore", func() string {
		succeed(p.T, "restore", backup, p.in("restored"))
		return p.contentSum(p.in("restored"))
	})
}

func afterCommands(t *testing.T, folder string, n powerNotes) error {
	var wrong []error
	if _, done := n.done["new"]; done {
		if code, stdout, stderr := command(t, "check", filepath.Join(folder, "new")); code != exitDone {
			wrong = append(wrong, fmt.Errorf("new: %s%s", stdout, stderr))
		}
	}
	wrong = append(wrong, n.has(t, "import", filepath.Join(folder, "imported")), n.has(t, "restore", filepath.Join(folder, "restored")))
	for step, file := range map[string]string{"export": "again.tar.gz", "backup": "site.tar.zst"} {
		path := filepath.Join(folder, file)
		if _, done := n.done[step]; !done {
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		args := []string{"restore", "--verify", path}
		if step == "export" {
			args = []string{"import", path, filepath.Join(t.TempDir(), "site")}
		}
		if code, _, stderr := command(t, args...); code != exitDone {
			wrong = append(wrong, fmt.Errorf("%s: %s", step, stderr))
		}
	}
	return errors.Join(wrong...)
}

// uploader is a served site and a client of it.
type uploader struct {
	*program
	token string
}

// serve serves a site, to a client with a token.
func (p *powered) serve(site string) *uploader {
	p.Helper()
	token := strings.TrimSpace(succeed(p.T, "token", "create", "--name", "power", "--type", "full-access", site))
	return &uploader{begin(p.T, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site), token}
}

// send sends a request and returns the body of the response.
func (u *uploader) send(method, path, kind string, body []byte) []byte {
	u.t.Helper()
	r, err := http.NewRequestWithContext(u.t.Context(), method, u.url+path, bytes.NewReader(body))
	requireNil(u.t, err)
	r.Header.Set("Authorization", "Bearer "+u.token)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Quire-Admin", "1")
	response, err := http.DefaultClient.Do(r)
	requireNil(u.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		u.t.Fatalf("%s %s: %d %s, %v", method, path, response.StatusCode, answer, err)
	}
	return answer
}

// shownFile is a file in the response to an upload.
type shownFile struct {
	ID              int
	Name, URL       string
	AlternativeText string
	Formats         map[string]struct{ URL string }
}

// upload uploads a file, in the place of another if replaced is its id.
func (u *uploader) upload(file []byte, replaced string) shownFile {
	u.t.Helper()
	kind, body := ledger.Form(file, fmt.Appendf(nil, `{"alternativeText": %q}`, ledger.Sum(file)))
	answer := u.send("POST", "/api/upload"+replaced, kind, body)
	var shown shownFile
	requireNil(u.t, json.Unmarshal(bytes.Trim(answer, "[]\n"), &shown))
	return shown
}

func textFile(n int) []byte { return bytes.Repeat([]byte(fmt.Sprintln("text", n)), 2000) }

// picture is one from which a thumbnail and a small format are made.
func picture(n int) []byte {
	m := image.NewGray(image.Rect(0, 0, 520, 40+n))
	for i := range m.Pix {
		m.Pix[i] = uint8(i * n >> 3)
	}
	var b bytes.Buffer
	png.Encode(&b, m)
	return b.Bytes()
}

// uploadFiles uploads, replaces and deletes files.
func uploadFiles(p *powered) {
	site := p.in("site")
	succeed(p.T, "new", site)
	u := p.serve(site)
	p.step("serve", func() string { return u.token })
	last, id := "", 0
	for n := range 12 {
		file := textFile(n)
		if n%3 > 0 {
			file = picture(n)
		}
		upload := func(replaced string) {
			p.step("file-"+ledger.Sum(file), func() string {
				id = u.upload(file, replaced).ID
				return ""
			})
		}
		switch n % 4 {
		case 1: // in the place of the last one
			p.step("gone-"+last, func() string { upload(fmt.Sprint("?id=", id)); return "" })
		case 2:
			p.step("gone-"+last, func() string {
				u.send("DELETE", fmt.Sprint("/api/upload/files/", id), "", nil)
				return ""
			})
			upload("")
		default:
			upload("")
		}
		last = ledger.Sum(file)
	}
	u.end()
}

// afterUploads requires every file that was uploaded, and each file and each of its formats
// whole.
func afterUploads(t *testing.T, folder string, n powerNotes) error {
	site := filepath.Join(folder, "site")
	if n.done["serve"] == "" {
		return nil
	}
	u := &uploader{begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site), n.done["serve"]}
	defer u.end()
	var shown []shownFile
	if err := json.Unmarshal(u.send("GET", "/api/upload/files", "", nil), &shown); err != nil {
		return err
	}
	there := map[string]bool{}
	for _, f := range shown {
		there[f.AlternativeText] = true
		if sum := ledger.Sum(u.send("GET", f.URL, "", nil)); sum != f.AlternativeText {
			return fmt.Errorf("%s of %s has the sum %s", f.URL, f.AlternativeText, sum)
		}
		for _, format := range f.Formats {
			if _, err := png.Decode(bytes.NewReader(u.send("GET", format.URL, "", nil))); err != nil {
				return fmt.Errorf("%s: %w", format.URL, err)
			}
		}
	}
	return n.requireFiles(there)
}

// requireFiles requires that the files are those of the notes.
func (n powerNotes) requireFiles(there map[string]bool) error {
	for step := range n.done {
		sum, uploaded := strings.CutPrefix(step, "file-")
		_, going := n.begun["gone-"+sum]
		if uploaded && !going && !there[sum] {
			return fmt.Errorf("%s is missing", sum)
		}
		if gone, deleted := strings.CutPrefix(step, "gone-"); deleted && there[gone] {
			return fmt.Errorf("%s is there again", gone)
		}
	}
	return nil
}

// changeTypes makes, changes and removes content types in the admin.
func changeTypes(p *powered) {
	site := p.in("site")
	succeed(p.T, "new", site)
	p.settle(site, `"admin": {"schemaEditing": true}`)
	u := p.serve(site)
	var err error
	http.DefaultClient.Jar, err = cookiejar.New(nil)
	requireNil(p, err)
	if status := u.admin("/setup", `{"token":"`+u.setupLink()+`","name":"Ana","email":"ana@example.org","password":"correct horse"}`); status != 200 {
		p.Fatalf("the first account: %d", status)
	}
	for n, change := range []string{
		`{"kind": "collectionType", "name": "%[1]s", "pluralName": "%[1]ss", "displayName": "One", "attributes": [{"name": "title", "set": {"type": "string"}}]}`,
		`{"was": "api::a.a", "name": "%[1]s", "pluralName": "%[1]ss", "attributes": [{"name": "title", "was": "title"}, {"name": "more", "set": {"type": "text"}}]}`,
		`{"was": "api::b.b", "name": "%[1]s", "pluralName": "%[1]ss", "attributes": [{"name": "heading", "was": "title"}]}`,
		`{"kind": "collectionType", "name": "%[1]s", "pluralName": "%[1]ss", "displayName": "Other", "attributes": [{"name": "title", "set": {"type": "string"}}]}`,
	} {
		p.step(string(rune('a'+n)), func() string {
			u.change(fmt.Sprintf(`{"types": [`+change+`]}`, string(rune('a'+n))))
			return typesOf(p.T, site)
		})
	}
	u.end()
}

// change plans a change of content types, and applies it.
func (u *uploader) change(change string) {
	u.t.Helper()
	var draft struct{ Data struct{ Fingerprint string } }
	requireNil(u.t, json.Unmarshal(u.send("POST", "/admin/api/v1/types/plan", "application/json", []byte(change)), &draft))
	u.send("POST", "/admin/api/v1/types/apply", "application/json", fmt.Appendf(nil, `{"change": %s, "fingerprint": %q}`, change, draft.Data.Fingerprint))
}

// typesOf stands for the schemas of a site.
func typesOf(t *testing.T, site string) string {
	t.Helper()
	return ledger.Sum([]byte(succeed(t, "openapi", site)))
}

// afterTypes requires the content types after the last change that was done, or the next one.
func afterTypes(t *testing.T, folder string, n powerNotes) error {
	site := filepath.Join(folder, "site")
	last := ""
	for step := range n.done {
		last = max(last, step)
	}
	if last == "" {
		return nil
	}
	begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site).end()
	_, going := n.begun[string(last[0]+1)]
	if typesOf(t, site) != n.done[last] && !going {
		return fmt.Errorf("the content types are not those of change %s", last)
	}
	return inOrderBut(t, site)
}

// streamWrites writes to a site with a stream, waits each time until all is sent, and restores
// it in the end.
func streamWrites(p *powered) {
	site := p.in("site")
	succeed(p.T, "new", site)
	p.settle(site, `"backup": {"stream": {"folder": "../target"}}`)
	u := p.serve(site)
	for n := range 5 {
		p.step(fmt.Sprintf("sent-%02d", n), func() string {
			u.send("POST", "/api/cooks", "application/json", fmt.Appendf(nil, `{"data": {"name": "cook-%02d"}}`, n))
			u.untilSent(site)
			return ""
		})
	}
	u.end()
	p.step("restored", func() string {
		succeed(p.T, "restore", "--at", "latest", "--replace", site)
		return p.contentSum(site)
	})
}

// untilSent waits until all commits are in the target.
func (u *uploader) untilSent(site string) {
	u.t.Helper()
	for {
		var status struct {
			Stream *struct {
				Sent    uint64
				Problem string
			}
			Content struct{ Revision uint64 }
		}
		if err := json.Unmarshal([]byte(succeed(u.t, "status", "--json", site)), &status); err != nil || status.Stream == nil || status.Stream.Problem != "" {
			u.t.Fatalf("%+v, %v", status, err)
		}
		if status.Stream.Sent >= status.Content.Revision {
			return
		}
		time.Sleep(20 * time.Millisecond) // until it asks again
	}
}

// afterStream requires that the stream is whole, and has all that was sent.
func afterStream(t *testing.T, folder string, n powerNotes) error {
	if len(n.done) == 0 {
		return nil
	}
	site := filepath.Join(folder, "site")
	if err := n.has(t, "restored", site); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(folder, "target", "*.*"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("the target is empty: %w", err)
	}
	id, _, _ := strings.Cut(filepath.Base(names[len(names)-1]), ".")
	if code, stdout, stderr := command(t, "restore", "--check", "--of", id, site); code != exitDone {
		return fmt.Errorf("%s%s", stdout, stderr)
	}
	if code, _, stderr := command(t, "restore", "--at", "latest", "--replace", "--of", id, site); code != exitDone {
		return errors.New(stderr)
	}
	_, lines, _ := command(t, "export", "--ndjson", site, "-")
	for step := range n.done {
		if name, sent := strings.CutPrefix(step, "sent-"); sent && !strings.Contains(lines, "cook-"+name) {
			return fmt.Errorf("cook %s is missing", name)
		}
	}
	return nil
}
