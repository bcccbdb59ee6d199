package command

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quire/app"
)

const (
	guideArchive = "../testdata/export/guide.tar.gz"
	guideKey     = "conformance key"
)

// A Strapi export in an empty folder makes a site, which can be served, exported, and
// imported again.
func TestMoveInAndOut(t *testing.T) {
	folder := t.TempDir()
	site, again := filepath.Join(folder, "site"), filepath.Join(folder, "again")
	if out := succeed(t, "import", site, guideArchive); !strings.Contains(out, "27  api::restaurant.restaurant\n") {
		t.Errorf("import prints %s", out)
	}
	if out := succeed(t, "check", site); out != "no problems\n" {
		t.Errorf("check finds %s", out)
	}
	encrypted := filepath.Join(folder, "site.tar.gz.enc")
	succeed(t, "export", "--key", "k", site, encrypted)
	succeed(t, "import", "--key", "k", again, encrypted)
	keyFile := filepath.Join(folder, "key.txt")
	requireNil(t, os.WriteFile(keyFile, []byte("k\r\nnot the key\n"), 0o600))
	succeed(t, "import", "--replace", "--key-file", keyFile, again, encrypted)
	t.Setenv("QUIRE_KEY", "k")
	succeed(t, "import", "--replace", again, encrypted)
	succeed(t, "export", again, filepath.Join(folder, "plain.tar.gz"))
	lines, more := filepath.Join(folder, "a.ndjson"), filepath.Join(folder, "b.ndjson")
	succeed(t, "export", "--ndjson", site, lines)
	succeed(t, "export", "--ndjson", again, more)
	if a, b := read(t, lines), read(t, more); a != b || strings.Count(a, "\n") != 33 {
		t.Errorf("the site gives\n%s\nand what was made of its archive\n%s", a, b)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", again)
	var file struct{ Data []struct{ Name string } }
	token, _ := who(t, "token", "create", "--name", "x", "--type", "full-access", again)
	if status := p.get("/api/chefs?sort=name&fields=name", token, &file); status != 200 || len(file.Data) != 3 || file.Data[0].Name != "Ana" {
		t.Errorf("the site answers %d %v", status, file)
	}
	p.end()
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	requireNil(t, err)
	return string(text)
}

// An archive contains the rights of roles in site.json, instead of those stored for the
// same roles before.
func TestRightsOfSiteJSONMoveOut(t *testing.T) {
	site, again := newGuide(t), filepath.Join(t.TempDir(), "again")
	begin(t, "serve", "--listen", "127.0.0.1:0", site).end() // stores the roles
	archived := filepath.Join(t.TempDir(), "site.tar.gz")
	succeed(t, "export", site, archived)
	succeed(t, "import", again, archived)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", again)
	defer p.end()
	for path, want := range map[string]int{"/api/restaurants": 200, "/api/restaurants?status=draft": 403, "/api/users": 403} {
		if status := p.get(path, "", new(any)); status != want {
			t.Errorf("%s answers everyone with %d, want %d", path, status, want)
		}
	}
}

// A failed import leaves no schemas behind.
func TestImportIntoAnEmptyFolderFails(t *testing.T) {
	folder := t.TempDir()
	whole := read(t, guideArchive)
	broken := filepath.Join(folder, "broken.tar.gz")
	requireNil(t, os.WriteFile(broken, []byte(whole[:len(whole)/2]), 0o600))
	site := filepath.Join(folder, "site")
	if code, _, stderr := command(t, "import", site, broken); code != 1 || !strings.Contains(stderr, "damaged or cut off") {
		t.Errorf("exit %d %s", code, stderr)
	}
	if entries, err := os.ReadDir(site); err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// guideLines returns n dishes, a type without rules that could refuse them.
func guideLines(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `{"type":"api::cuisine.cuisine","documentId":"c%d","data":{"name":"Cuisine %d"}}`+"\n", i, i)
	}
	return out.String()
}

// A running server imports while it serves. It refuses and loses no write, and each read
// sees the content before or after the import.
func TestImportIntoARunningServer(t *testing.T) {
	site := newSite(t, `{}`)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	token, by := who(t, "token", "create", "--name", "x", "--type", "full-access", site)
	if by != app.ByServer {
		t.Fatalf("done by %s", by)
	}
	var written, stop atomic.Int64
	done := make(chan error, 1)
	go func() {
		for i := 0; stop.Load() == 0; i++ {
			if err := p.write(token, fmt.Sprintf(`{"data":{"name":"Written %d"}}`, i)); err != nil {
				done <- err
				return
			}
			written.Add(1)
		}
		done <- nil
	}()
	lines := filepath.Join(t.TempDir(), "c.ndjson")
	requireNil(t, os.WriteFile(lines, []byte(guideLines(5000)), 0o600))
	out, by := who(t, "import", site, lines)
	if by != app.ByServer || !strings.Contains(out, "5000  api::cuisine.cuisine") {
		t.Errorf("import says %s, done by %s", out, by)
	}
	stop.Store(1)
	if err := <-done; err != nil {
		t.Errorf("a write during the import: %v", err)
	}
	if err := p.write(token, `{"data":{"name":"Written after"}}`); err != nil {
		t.Errorf("a write after the import: %v", err)
	}
	written.Add(1)
	if got, want := p.count(token), 5000+int(written.Load()); got != want {
		t.Errorf("there are %d cuisines, want %d", got, want)
	}
	code, _, stderr := command(t, "import", site, lines)
	if code != 1 || !strings.Contains(stderr, "already has the document c0; a merge changes it") {
		t.Errorf("importing the same again: exit %d %s", code, stderr)
	}
	backup := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, by := who(t, "export", site, backup); by != app.ByServer {
		t.Errorf("the export was done by %s", by)
	}
	p.end()
	copied := filepath.Join(t.TempDir(), "copied")
	if out := succeed(t, "import", copied, backup); !strings.Contains(out, fmt.Sprintf("%d  api::cuisine.cuisine", 5000+written.Load())) {
		t.Errorf("the export of a running server brings back %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(site, "data", "*.copy-*")); left != nil {
		t.Errorf("copies are left: %v", left)
	}
}

func (p *program) write(token, body string) error {
	r, err := http.NewRequest("POST", p.url+"/api/cuisines", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != 201 {
		return fmt.Errorf("POST answers %s", response.Status)
	}
	return nil
}

func (p *program) count(token string) int {
	p.t.Helper()
	var list struct {
		Meta struct{ Pagination struct{ Total int } }
	}
	p.get("/api/cuisines?pagination[pageSize]=1", token, &list)
	return list.Meta.Pagination.Total
}

func write(t *testing.T, text string) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "lines.ndjson")
	requireNil(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// export returns the content of the site as lines.
func export(t *testing.T, site string) string {
	t.Helper()
	code, stdout, stderr := command(t, "export", "--ndjson", site, "-")
	if code != 0 {
		t.Fatalf("export: exit %d %s", code, stderr)
	}
	return stdout
}

func TestImportFromStandardInput(t *testing.T) {
	site := newSite(t, `{}`)
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"import", site, "-"})
	root.SetIn(strings.NewReader(guideLines(3)))
	root.SetOut(&out)
	root.SetErr(&out)
	if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "3  api::cuisine.cuisine") {
		t.Errorf("%v %s", err, out.String())
	}
	var line struct{ Data struct{ Name string } }
	first, _, _ := strings.Cut(export(t, site), "\n")
	if err := json.Unmarshal([]byte(first), &line); err != nil || line.Data.Name != "Cuisine 0" {
		t.Errorf("the first line out is %s, %v", first, err)
	}
}

func TestImportAndExportErrors(t *testing.T) {
	site := newSite(t, `{}`)
	lines := write(t, guideLines(1))
	there := filepath.Join(filepath.Dir(lines), "there.tar.gz")
	requireNil(t, os.WriteFile(there, nil, 0o600))
	succeed(t, "import", site, lines)
	for _, test := range []struct{ args, want string }{
		{"import " + site, "is a folder; name the file before it"},
		{"import --merge --replace " + site + " " + lines, "--merge and --replace exclude each other"},
		{"import " + site + " " + lines + "x", "no such file"},
		{"import --key k " + site + " " + lines, "a key is for archives"},
		{"import " + site + " " + lines + " " + guideArchive, "has to be imported alone"},
		{"import " + site + " " + guideArchive + " " + lines, "has to be imported alone"},
		{"import " + site + "2 " + guideArchive + ".enc", "give its key with --key-file or QUIRE_KEY"},
		{"import " + site + " " + guideArchive, "the site already has content"},
		{"import --merge " + site + " " + guideArchive, "the site has no such content type"},
		{"import /nowhere/at/all " + lines, "no site folder"},
		{"export " + site, "is a folder; name the file before it"},
		{"export " + site + " " + there, "is there already"},
		{"export " + site + " " + there + ".zip", "should end in .tar.gz"},
		{"export " + site + " " + there + ".enc", "needs --key-file or QUIRE_KEY"},
		{"export --key k " + site + " " + there + "x.tar.gz", "ends in .enc"},
		{"export --key-file " + there + " " + site + " " + there + "x.tar.gz.enc", "holds no key in its first line"},
		{"export --key-file " + there + "none " + site + " " + there + "x.tar.gz.enc", "none: no such file"},
		{"export --key k --key-file k " + site + " " + there + "x.tar.gz.enc", "--key and --key-file exclude each other"},
		{"export --key k --ndjson " + site + " x", "--key and --ndjson exclude each other"},
		{"export x.tar /nowhere/at/all", "no site folder"},
	} {
		code, stdout, stderr := command(t, strings.Fields(test.args)...)
		if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("quire %s: exit %d, stdout %q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		m    app.Measured
		want string
	}{
		{app.Measured{Read: 25 << 20, Total: 100 << 20, Entries: 40000}, "25.0 of 100.0 MiB, 40000 entries, 20000 a second, 6s left"},
		{app.Measured{Read: 1 << 19, Entries: 10}, "0.5 MiB, 10 entries, 5 a second"},
		{app.Measured{}, "0.0 MiB"}, // a download has no entries
	} {
		if got := progressLine(test.m, 2*time.Second); got != test.want {
			t.Errorf("%+v: %q, want %q", test.m, got, test.want)
		}
	}
}

// What an archive says does nothing in the terminal of who imports it.
func TestAnArchiveThatWritesToTheTerminal(t *testing.T) {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for name, content := range map[string]string{
		"metadata.json":                 `{"strapi":{"version":"5.0.0"}}`,
		"entities/entities_00001.jsonl": `{"type":"\u001b[31mpet\u009b\r","id":1,"data":{"documentId":"rex"}}` + "\n",
	} {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))})
		if _, failed := io.WriteString(w, content); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
	}
	name, site := filepath.Join(t.TempDir(), "hostile.tar"), newGuide(t)
	if err := errors.Join(w.Close(), os.WriteFile(name, text.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"import", name, site}, {"import", "--skip-errors", name, site}} {
		_, stdout, stderr := command(t, args...)
		if shown := stdout + stderr; !strings.Contains(shown, `\u001b[31mpet\u009b\u000d`) || strings.ContainsAny(shown, "\x1b\u009b\r") {
			t.Errorf("%v prints %q", args, shown)
		}
	}
}
