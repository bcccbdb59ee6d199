package objects

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"quire/test/program"
)

// mostWritten bounds what is uploaded while files move.
const mostWritten = 40

// writing uploads files until it is stopped, and says which were taken.
func (s *site) writing(name string) (stop func() map[string]string) {
	taken, ended := map[string]string{}, make(chan struct{})
	var stopped atomic.Bool
	go func() {
		defer close(ended)
		for n := 0; n < mostWritten && !stopped.Load(); n++ {
			content := strings.Repeat(name, n+1)
			a := s.upload("/api/upload", name+".txt", content)
			var list []record
			if a.status != 201 || json.Unmarshal([]byte(a.body), &list) != nil {
				s.t.Errorf("while files move: %d %s", a.status, a.body)
				return
			}
			taken[list[0].URL] = content
		}
	}()
	return sync.OnceValue(func() map[string]string {
		stopped.Store(true)
		<-ended
		return taken
	})
}

// here are the files in the folder.
func (s *site) here() (names []string) {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.folder, "data", "uploads"))
	check(s.t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// refused demands that a move is refused with these words.
func (s *site) refused(words string, args ...string) {
	s.t.Helper()
	code, stdout, stderr := program.Run(s.t, append(append([]string{"media", "move"}, args...), s.folder)...)
	if code == 0 || !strings.Contains(stderr, words) || strings.Contains(stderr, secret) {
		s.t.Errorf("media move %v: exit %d\n%s%s", args, code, stdout, stderr)
	}
}

// All files go from the folder to the bucket and back, while others arrive, and every url
// shows what it did.
func TestFilesMoveBothWays(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("folder", "quire"))
	const there = "s3://guide/files"
	all := map[string]string{}
	keep := func(more map[string]string) {
		for url, content := range more {
			all[url] = content
		}
	}
	picture := s.uploaded("quay.png", photo(t))
	all[picture.URL] = photo(t)
	deleted := s.uploaded("deleted.txt", "deleted")

	stop := s.writing("first")
	out := program.Succeed(t, "media", "move", "--to", there, s.folder)
	keep(stop())
	if !strings.Contains(out, "copied") || !strings.Contains(out, `next: set "use": "bucket"`) || len(o.keys(t, "files")) < 4 {
		t.Errorf("%s%v", out, o.keys(t, "files"))
	}
	if a := s.do("DELETE", "/api/upload/files/"+deleted.DocumentID, "", nil); a.status != 200 {
		t.Errorf("deleted: %d", a.status)
	}
	s.refused("does not take what arrives", "--to", there, "--remove")
	s.refused("neither folder nor", "--to", "s3://elsewhere")
	s.configure(o.inBucket("bucket", "quire"))
	s.refused("does not take what arrives", "--to", there, "--remove") // the server has the former settings
	s.restart()
	for url, content := range all { // some are in the folder alone
		s.holds(url, content)
	}
	stop = s.writing("second")
	program.Succeed(t, "media", "move", "--to", there, "--remove", s.folder)
	keep(stop())
	if here := s.here(); len(here) != 0 || len(o.keys(t, "files")) != len(all)+2 { // and two formats
		t.Errorf("here %v, there %d of %d", here, len(o.keys(t, "files")), len(all)+2)
	}
	s.sound()

	s.configure(o.inBucket("folder", "quire"))
	s.restart()
	stop = s.writing("third")
	program.Succeed(t, "media", "move", "--to", "folder", "--remove", s.folder)
	keep(stop())
	if keys := o.keys(t, "files"); len(keys) != 0 || len(s.here()) != len(all)+2 {
		t.Errorf("there %v, here %d of %d", keys, len(s.here()), len(all)+2)
	}
	for url, content := range all {
		s.holds(url, content)
	}
	s.sound()
	if out := program.Succeed(t, "audit", "--action", "media.move", s.folder); strings.Count(out, "media.move") != 3 {
		t.Errorf("the audit log: %s", out)
	}
}

// A move that the store breaks off goes on where it was, and a file that differs is not
// taken for moved.
func TestAMoveGoesOn(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("folder", "quire"))
	one, two := s.uploaded("one.txt", "one"), s.uploaded("two.txt", "two")
	o.set(cut)
	s.refused("cannot be used", "--to", "s3://guide/files")
	o.set(passes)
	check(t, os.MkdirAll(filepath.Join(o.folder, "files"), 0o700))
	check(t, os.WriteFile(filepath.Join(o.folder, "files", filepath.Base(one.URL)), []byte("eno"), 0o600))
	s.refused("with another content", "--to", "s3://guide/files")
	check(t, os.Remove(filepath.Join(o.folder, "files", filepath.Base(one.URL))))
	out := program.Succeed(t, "media", "move", "--to", "s3://guide/files", s.folder)
	if keys := o.keys(t, "files"); len(keys) != 2 {
		t.Errorf("%v\n%s", keys, out)
	}
	if out := program.Succeed(t, "media", "move", "--to", "s3://guide/files", s.folder); !strings.Contains(out, "0 files copied, 2 there already") {
		t.Errorf("again: %s", out)
	}
	s.holds(one.URL, "one")
	s.holds(two.URL, "two")
}
