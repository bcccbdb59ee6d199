package objects

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/program"
)

// A site that has lost its bucket, and its data folder, comes back from one file: into the
// folder at first, and from there into the bucket.
func TestABackupHoldsTheBucket(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("bucket", "quire"))
	film := strings.Repeat("0123456789abcdef", 1<<20)
	all := map[string]string{s.uploaded("quay.png", photo(t)).URL: photo(t), s.uploaded("film.txt", film).URL: film}
	lost := s.uploaded("lost.txt", "lost")
	check(t, os.Remove(filepath.Join(o.folder, "files", filepath.Base(lost.URL))))
	o.add(t, "of-others.txt", "of others")
	folder := t.TempDir()
	file, without := filepath.Join(folder, "site.tar.zst"), filepath.Join(folder, "without")
	if out := program.Succeed(t, "backup", s.folder, without); !strings.Contains(out, "note: 5 uploads are in s3://guide/files, which the backup does not hold") {
		t.Errorf("without --files: %s", out)
	}
	out := program.Succeed(t, "backup", "--files", s.folder, file)
	if !strings.Contains(out, "4 uploads were fetched from s3://guide/files") || !strings.Contains(out, "the upload "+filepath.Base(lost.URL)+" is missing") {
		t.Errorf("%s", out)
	}
	if out := program.Succeed(t, "restore", "--verify", file); !strings.Contains(out, "4 uploads, ") || !strings.Contains(out, "4 uploads were fetched from s3://guide/files") {
		t.Errorf("%s", out)
	}
	s.server.Kill()
	for _, name := range o.keys(t, "files") {
		check(t, os.Remove(filepath.Join(o.folder, "files", name)))
	}
	check(t, os.RemoveAll(filepath.Join(s.folder, "data")))
	out = program.Succeed(t, "restore", file, s.folder)
	if !strings.Contains(out, "next: the uploads are in the folder; `quire media move --to s3://guide/files --remove` brings them into the bucket") {
		t.Errorf("%s", out)
	}
	s.serve()
	for url, content := range all {
		s.holds(url, content)
	}
	program.Succeed(t, "media", "move", "--to", "s3://guide/files", "--remove", s.folder)
	if here := s.here(); len(here) != 0 || len(o.keys(t, "files")) != 4 {
		t.Errorf("here %v, there %v", here, o.keys(t, "files"))
	}
	for url, content := range all {
		s.holds(url, content)
	}
}

// add puts an object below the prefix.
func (s *objectStore) add(t *testing.T, name, content string) {
	t.Helper()
	check(t, os.WriteFile(filepath.Join(s.folder, "files", name), []byte(content), 0o600))
}

// What came into the bucket under a name of the backup is not overwritten, and a store that
// is away makes no backup.
func TestABackupAndABucketThatDiffer(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("bucket", "quire"))
	one := s.uploaded("one.txt", "one")
	folder := t.TempDir()
	file := filepath.Join(folder, "b")
	o.set(cut)
	code, _, stderr := program.Run(t, "backup", "--files", s.folder, file)
	if left, _ := os.ReadDir(folder); code == 0 || !strings.Contains(stderr, "no backup was made: the storage of files s3://guide/files cannot be used") || strings.Contains(stderr, secret) || len(left) != 0 {
		t.Errorf("exit %d, left %v: %s", code, left, stderr)
	}
	o.set(passes)
	s.configure("{}")
	if code, _, stderr := program.Run(t, "backup", "--files", s.folder, file); code == 0 || !strings.Contains(stderr, "restart it") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	s.configure(o.inBucket("bucket", "quire"))
	program.Succeed(t, "backup", "--files", s.folder, file)
	s.server.Signal(os.Interrupt)
	check(t, s.server.Wait())
	program.Succeed(t, "restore", "--replace", file, s.folder)
	o.add(t, filepath.Base(one.URL), "eno")
	s.refused("with another content", "--to", "s3://guide/files", "--remove")
	check(t, os.Remove(filepath.Join(o.folder, "files", filepath.Base(one.URL))))
	s.serve()
	s.holds(one.URL, "one")
	s.sound()
}
