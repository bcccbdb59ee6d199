package endurance

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"quire/test/program"
)

// badStart is a site that the program cannot serve, and what it has to say.
type badStart struct {
	name  string
	spoil func(t *testing.T, site string)
	path  string // in the site, named by the message
	want  string // what is wrong
	fix   string // and what to do
}

func TestStartsThatFailSayWhy(t *testing.T) {
	t.Parallel()
	model := program.NewGuide(t)
	data := "data/quire.db"
	at := func(site string) string { return filepath.Join(site, filepath.FromSlash(data)) }
	write := func(content []byte) func(*testing.T, string) {
		return func(t *testing.T, site string) { requireNil(t, os.WriteFile(at(site), content, 0o600)) }
	}
	cut := func(size int64) func(*testing.T, string) {
		return func(t *testing.T, site string) { requireNil(t, os.Truncate(at(site), size)) }
	}
	inside := func(fn func(*bbolt.Tx) error) func(*testing.T, string) {
		return func(t *testing.T, site string) {
			db, err := bbolt.Open(at(site), 0o600, nil)
			requireNil(t, err)
			requireNil(t, errors.Join(db.Update(fn), db.Close()))
		}
	}
	set := func(bucket, key string, value []byte) func(*testing.T, string) {
		return inside(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(bucket)).Put([]byte(key), value) })
	}
	instead := func(of string, put func(path string) error) func(*testing.T, string) {
		return func(t *testing.T, site string) {
			path := filepath.Join(site, filepath.FromSlash(of))
			requireNil(t, errors.Join(os.RemoveAll(path), put(path)))
		}
	}
	plain := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
	folder := func(path string) error { return os.Mkdir(path, 0o700) }
	for _, c := range []badStart{
		{"empty", write(nil), data, "is empty", "restore a backup"},
		{"text", write([]byte("hello\n")), data, "is not a bbolt file", "name Quire's data file, or restore a backup"},
		{"zeros", write(make([]byte, 100_000)), data, "is not a bbolt file", "restore a backup"},
		{"cut off in a head page", cut(1000), data, "is damaged", "restore the latest backup"},
		{"cut off", cut(20_000), data, "it is cut off: 4 of", "restore the latest backup"},
		{"of another program", instead(data, func(path string) error {
			db, err := bbolt.Open(path, 0o600, nil)
			return errors.Join(err, db.Close())
		}), data, "of another program", "name Quire's data file"},
		{"newer", set("meta", "format", []byte{0, 0, 0, 0, 0, 0, 0, 99}), data, "is in format 99", "use the newer program"},
		{"an entry changed", func(t *testing.T, site string) { flipEntry(t, at(site)) }, data, "is damaged in bucket content/", "restore the latest backup"},
		{"a sequence behind", set("sequence", "api::restaurant.restaurant", make([]byte, 8)), data, "stands at 0", "quire check --repair"},
		{"a token torn", inside(func(tx *bbolt.Tx) error {
			b, err := tx.Bucket([]byte("records")).CreateBucketIfNotExists([]byte("tokens"))
			return errors.Join(err, b.Put([]byte("torn"), []byte("{")))
		}), data, `token "torn"`, "quire check --repair"},
		{"a folder", instead(data, folder), data, "not a regular file", "name the data file"},
		{"a link to nothing", instead(data, func(path string) error { return os.Symlink("gone.db", path) }), data, "no such file", "check the path"},
		{"a file for the data folder", instead("data", plain), "data", "cannot be used", "move it out of the way"},
		{"a file for the folder of uploads", instead("data/uploads", plain), "data/uploads", "cannot be used", "move it out of the way"},
		{"no site", instead("", func(string) error { return nil }), "", "there is no site folder", "quire new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			site := program.CopySite(t, model)
			c.spoil(t, site)
			requireBadStart(t, site, c, program.ServeCommand(t, site))
		})
	}
}

// requireBadStart demands an end with a message, and that nothing was written.
func requireBadStart(t *testing.T, site string, c badStart, start *exec.Cmd) {
	t.Helper()
	before := snapshotOf(t, site)
	var out bytes.Buffer
	start.Stdout, start.Stderr = &out, &out
	timer := time.AfterFunc(time.Minute, func() { start.Process.Kill() })
	defer timer.Stop()
	err := start.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	text := out.String()
	for _, want := range []string{"quire: ", filepath.Join(site, filepath.FromSlash(c.path)), c.want, c.fix} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in: %s", want, text)
		}
	}
	if strings.Contains(text, "goroutine ") {
		t.Errorf("it panicked: %s", text)
	}
	if after := snapshotOf(t, site); after != before {
		t.Errorf("the data folder was\n%s\nand is\n%s", before, after)
	}
}

// snapshotOf is the names, times and contents in the data folder of a site.
func snapshotOf(t *testing.T, site string) string {
	t.Helper()
	var b strings.Builder
	_ = filepath.WalkDir(filepath.Join(site, "data"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		requireNil(t, err)
		content, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %d %s %x\n", path, info.Size(), info.ModTime().Format(time.RFC3339Nano), sha256.Sum256(content))
		return nil
	})
	return b.String()
}

// flipEntry changes one letter of a stored text.
func flipEntry(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	requireNil(t, err)
	for i := 0; ; { // in every page, as some are free
		at := bytes.Index(content[i:], []byte("moderate"))
		if at < 0 {
			break
		}
		i += at
		content[i] ^= 1
	}
	requireNil(t, os.WriteFile(file, content, 0o600))
}
