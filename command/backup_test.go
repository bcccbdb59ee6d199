package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/app"
	"quire/store"
	"quire/transfer/backup"
)

// contentOf returns everything that a site contains: its content as lines, and its uploads.
func contentOf(t *testing.T, site string) map[string]string {
	t.Helper()
	all := map[string]string{"lines": export(t, site)}
	entries, err := os.ReadDir(filepath.Join(site, "data", "uploads"))
	requireNil(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(site, "data", "uploads", e.Name()))
		requireNil(t, err)
		all[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return all
}

func requireSame(t *testing.T, is, was map[string]string) {
	t.Helper()
	if !maps.Equal(is, was) {
		t.Errorf("the site is not as it was: it has %v and had %v", slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(was)))
	}
}

func TestBackupAndRestore(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	was := contentOf(t, site)
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	if out := succeed(t, "backup", site, file); !strings.Contains(out, file+": a data file of") || !strings.Contains(out, "uploads, packed ") {
		t.Errorf("it says %s", out)
	}
	if out := succeed(t, "restore", "--verify", file); !strings.Contains(out, file+": whole") || !strings.Contains(out, "in format 1") {
		t.Errorf("verifying says %s", out)
	}
	succeed(t, "import", "--replace", site, write(t, guideLines(3)))
	code, _, stderr := command(t, "restore", file, site)
	if code != 1 || !strings.Contains(stderr, "quire.db is there already; --replace puts the backup into its place") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	out := succeed(t, "restore", "--replace", file, site)
	if !strings.Contains(out, "restored the backup of 2") || !strings.Contains(out, "is kept in "+filepath.Join(site, "data", "replaced-")) || strings.Contains(out, "note") {
		t.Errorf("restoring says %s", out)
	}
	requireSame(t, contentOf(t, site), was)
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Error(got)
	}
	edited := filepath.Join(site, "site.json")
	requireNil(t, os.WriteFile(edited, []byte("{}"), 0o600))
	if out := succeed(t, "restore", "--replace", "--data", filepath.Join(t.TempDir(), "data"), file, site); !strings.Contains(out, "note: the site folder is not as it was") {
		t.Errorf("with another site.json: %s", out)
	}
}

// After a restore, the sessions in the backup are not valid, because they may have ended
// since.
func TestARestoreEndsSessions(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	data := filepath.Join(site, "data", "quire.db")
	buckets := []string{"admin.sessions", "admin.links", "admin.assistants", "sessions"}
	records := func(fn func(tx *store.Tx, bucket string) error) {
		t.Helper()
		db, err := store.Open(data, store.Options{})
		if err == nil {
			err = db.Update(func(tx *store.Tx) (err error) {
				for _, bucket := range append(buckets, "admin.accounts") {
					err = errors.Join(err, fn(tx, bucket))
				}
				return err
			})
			err = errors.Join(err, db.Close())
		}
		requireNil(t, err)
	}
	records(func(tx *store.Tx, bucket string) error {
		return errors.Join(tx.PutRecord(bucket, "one", []byte("{}")), tx.PutRecord(bucket, "two", []byte("{}")))
	})
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	succeed(t, "backup", site, file)
	succeed(t, "restore", "--replace", file, site)
	records(func(tx *store.Tx, bucket string) error {
		n, err := tx.CountRecords(bucket, "")
		if slices.Contains(buckets, bucket) != (n == 0) {
			t.Errorf("%s has %d records", bucket, n)
		}
		return err
	})
}

// A server continues while it is backed up or compacted. A restore to its data is refused.
func TestBackupAndCompactOfARunningServer(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "test", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	first, second := filepath.Join(t.TempDir(), "b1"), filepath.Join(t.TempDir(), "b2")
	if _, by := who(t, "backup", site, first); by != app.ByServer {
		t.Errorf("the backup was done by %s", by)
	}
	before := etag(t, p, token)
	out, by := who(t, "compact", site)
	if by != app.ByServer || !strings.Contains(out, " before, ") {
		t.Errorf("compacting says %s, done by %s", out, by)
	}
	if after := etag(t, p, token); after != before {
		t.Errorf("the same content has the tag %s, and had %s", after, before)
	}
	if err := p.write(token, `{"data":{"name":"Written after"}}`); err != nil {
		t.Error(err)
	}
	if etag(t, p, token) == before {
		t.Error("other content has the same tag")
	}
	who(t, "backup", site, second)
	code, _, stderr := command(t, "restore", "--replace", first, site)
	if code != 1 || !strings.Contains(stderr, "a server or another command is using the data; stop it first") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	p.end()
	if left, _ := filepath.Glob(filepath.Join(site, "data", ".*")); left != nil {
		t.Errorf("something is left: %v", left)
	}
	is := contentOf(t, site)
	for _, test := range []struct {
		file string
		has  bool
	}{{first, false}, {second, true}} {
		succeed(t, "restore", "--replace", test.file, site)
		if got := strings.Contains(export(t, site), "Written after"); got != test.has {
			t.Errorf("%s has what was written after the first: %v", test.file, got)
		}
	}
	requireSame(t, contentOf(t, site), is)
}

func etag(t *testing.T, p *program, token string) string {
	t.Helper()
	r, err := http.NewRequest("GET", p.url+"/api/cuisines", nil)
	requireNil(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	requireNil(t, err)
	response.Body.Close()
	return response.Header.Get("Etag")
}

func TestCompact(t *testing.T) {
	site := newSite(t, `{}`)
	succeed(t, "import", site, write(t, guideLines(5000)))
	succeed(t, "import", "--replace", site, write(t, guideLines(2)))
	was := contentOf(t, site)
	succeed(t, "token", "create", "--name", "a", "--type", "read-only", site) // files grow by more than they need
	before := dataSize(t, site)
	out := succeed(t, "compact", site)
	if after := dataSize(t, site); after >= before || !strings.Contains(out, sized(before)+" before, "+sized(after)+" now, in ") {
		t.Errorf("%d bytes became %d: %s", before, after, out)
	}
	requireSame(t, contentOf(t, site), was)
	if got := succeed(t, "migrate", "format", site); !strings.Contains(got, "is in format 1, that of this program; there is nothing to do") {
		t.Error(got)
	}
}

func dataSize(t *testing.T, site string) int64 {
	t.Helper()
	info, err := os.Stat(app.Location{Site: site}.DataFile())
	requireNil(t, err)
	return info.Size()
}

func TestBackupErrors(t *testing.T) {
	site := newSite(t, `{}`)
	succeed(t, "import", site, write(t, guideLines(1)))
	empty := filepath.Join(t.TempDir(), "empty")
	succeed(t, "new", empty)
	file := filepath.Join(t.TempDir(), "b")
	succeed(t, "backup", site, file)
	for _, test := range []struct{ args, want string }{
		{"backup " + site, "is a folder; name the file before it"},
		{"backup " + site + " " + file, file + " is there already; --force replaces it"},
		{"backup --force " + site + " " + site, "is there already"},
		{"backup " + site + " " + file + "/x/y", "no backup was made: "},
		{"backup " + empty + " " + file + "2", "quire.db"},
		{"backup /nowhere/at/all " + file, "no site folder"},
		{"restore " + file, "is not a site folder: it has neither src nor site.json"},
		{"restore --verify " + file + " " + site, "--verify takes a file and no site"},
		{"restore --verify --replace " + file, "--replace and --verify exclude each other"},
		{"restore --verify " + filepath.Join(site, "site.json"), "is no backup of Quire"},
		{"restore --verify " + file + "2", "no such file"},
		{"restore " + file + " /nowhere/at/all", "no site folder /nowhere/at/all; put it there first, for example from git"},
		{"compact " + empty, "quire.db"},
		{"compact /nowhere/at/all", "no site folder"},
		{"migrate format " + empty, "quire.db"},
		{"migrate format /nowhere/at/all", "no site folder"},
	} {
		code, stdout, stderr := command(t, strings.Fields(test.args)...)
		if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("quire %s: exit %d, stdout %q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
	succeed(t, "backup", "--force", site, file)
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("beside the backup lie %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(empty, "data", "quire.db")); err == nil {
		t.Error("a data file was made where there was none to compact")
	}
}

// The last successful backup is recorded, whoever made it.
func TestLastBackup(t *testing.T) {
	site := newSite(t, `{}`)
	succeed(t, "import", site, write(t, guideLines(1)))
	file := filepath.Join(t.TempDir(), "b")
	remembered := func() app.BackedUp {
		t.Helper()
		status, err := app.Location{Site: site}.Status(t.Context())
		requireNil(t, err)
		if status.Backup == nil {
			return app.BackedUp{}
		}
		return *status.Backup
	}
	if last := remembered(); !last.Made.IsZero() {
		t.Errorf("before any: %+v", last)
	}
	succeed(t, "backup", site, file)
	info, err := os.Stat(file)
	requireNil(t, err)
	if last := remembered(); last.File != file || last.Size != info.Size() || time.Since(last.Made) > time.Hour {
		t.Errorf("%+v", last)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	who(t, "backup", site, file+"2")
	p.end()
	if last := remembered(); last.File != file+"2" {
		t.Errorf("%+v", last)
	}
}

// The output of a migration says where the unchanged former file is.
func TestPrintMigrated(t *testing.T) {
	var out bytes.Buffer
	printMigrated(&out, "quire.db", store.Migrated{From: 1, To: 3, Steps: []string{"one", "two"}, Kept: "quire.db.format-1"})
	if want := "quire.db was in format 1 and is in format 3:\n  one\n  two\nthe file as it was is kept as quire.db.format-1; remove it when all is well\n"; out.String() != want {
		t.Errorf("got %s", out.String())
	}
}

// What is in the way is replaced with --replace. With it, only something that was not there at
// first is in the way.
func TestRestoreExplains(t *testing.T) {
	for replace, want := range map[bool]string{
		false: "data/quire.db is there already; --replace puts the backup into its place, and keeps it aside",
		true:  "data/quire.db is there already: another command has made it since this one began; run this one again",
	} {
		if err := explainRestore(&backup.ExistsError{Path: "data/quire.db"}, replace); err.Error() != want {
			t.Errorf("%v: %v", replace, err)
		}
	}
}
