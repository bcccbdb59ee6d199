package backup

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/media"
	"quire/store"
)

// testBucket is a bucket for tests. opening is called before a file is opened.
type testBucket struct {
	media.Storage
	opening func(name string) error
	breaks  int // how often a file breaks off
}

// breaking is a file that breaks off.
type breaking struct {
	io.ReadSeekCloser
	breaks int
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.breaks > 0 {
		b.breaks--
		n, _ := b.ReadSeekCloser.Read(p[:b.breaks%2]) // nothing, or a byte
		return n, &media.UnreachableError{Storage: "s3://guide/files", Err: io.ErrUnexpectedEOF}
	}
	return b.ReadSeekCloser.Read(p)
}

func (s *testBucket) String() string { return "s3://guide/files" }

func (s *testBucket) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	if s.opening != nil {
		if err := s.opening(name); err != nil {
			return nil, media.Object{}, err
		}
	}
	file, about, err := s.Storage.Open(ctx, name)
	if err == nil {
		file = &breaking{file, s.breaks}
	}
	return file, about, err
}

// inTestBucket makes a data folder whose uploads are in a bucket but for those that begin with
// "here".
func inTestBucket(t *testing.T, uploads map[string]string) (folder, bucket string, s *Source, at *testBucket) {
	t.Helper()
	folder, bucket = newFolder(t, uploads), t.TempDir()
	for name := range uploads {
		if !strings.HasPrefix(name, "here") {
			check(t, os.Rename(filepath.Join(folder, "uploads", name), filepath.Join(bucket, name)))
		}
	}
	check(t, os.WriteFile(filepath.Join(bucket, "other_1"), []byte("of another site"), 0o600))
	s, err := Open(folder, named)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	s.About.Made = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	s.UseBucket("s3://guide/files")
	return folder, bucket, s, &testBucket{Storage: media.Disk(bucket)}
}

var shelved = map[string]string{"a_1": "a", "b_2": strings.Repeat("b", 100_000), "here_3": "here", "z_4": ""}

// Uploads of a bucket are in a backup that fetches them, and in the folder when it is restored.
func TestFetchedAndBack(t *testing.T) {
	_, _, s, at := inTestBucket(t, shelved)
	check(t, s.Fetch(t.Context(), at))
	path := filepath.Join(t.TempDir(), "site.tar.zst")
	s.Meter = new(Meter)
	m, err := Save(t.Context(), path, s, false)
	check(t, err)
	if m.FromBucket != 3 || m.InBucket != 0 || m.Missing != nil || len(m.Uploads()) != 4 {
		t.Errorf("%+v", m)
	}
	if files, bytes := s.Meter.Done(); files != 5 || bytes != m.Size() {
		t.Errorf("%d files and %d bytes are counted of %d", files, bytes, m.Size())
	}
	verified, err := Verify(t.Context(), path)
	if err != nil || verified.Bucket != "s3://guide/files" || verified.FromBucket != 3 || !slices.Equal(verified.Files, m.Files) {
		t.Errorf("%+v, %v", verified, err)
	}
	to := filepath.Join(t.TempDir(), "data")
	_, err = Restore(t.Context(), path, to, false, nil)
	check(t, err)
	requireWhole(t, to, shelved)
}

// A file that breaks off is read on where it was, unless it does so again and again.
func TestFetchingGoesOn(t *testing.T) {
	_, _, s, at := inTestBucket(t, shelved)
	check(t, s.Fetch(t.Context(), at))
	at.breaks = mostBreaks
	path := filepath.Join(t.TempDir(), "x")
	_, err := Save(t.Context(), path, s, false)
	check(t, err)
	to := filepath.Join(t.TempDir(), "data")
	_, err = Restore(t.Context(), path, to, false, nil)
	check(t, err)
	requireWhole(t, to, shelved)
	at.breaks = 3 * mostBreaks
	if _, err := Save(t.Context(), path, s, true); !errors.As(err, new(*media.UnreachableError)) {
		t.Errorf("one that breaks off for good: %v", err)
	}
}

// Without Fetch a backup says how many uploads are in the bucket.
func TestABackupThatFetchesNothing(t *testing.T) {
	_, _, s, _ := inTestBucket(t, shelved)
	m, err := Save(t.Context(), filepath.Join(t.TempDir(), "x"), s, false)
	if err != nil || m.InBucket != 3 || m.FromBucket != 0 || !slices.Equal(m.Uploads(), []string{"here_3"}) {
		t.Errorf("%+v, %v", m, err)
	}
}

// What is not in the bucket is missing, and so is what is deleted while a backup is made.
func TestFetchingWhatIsGone(t *testing.T) {
	_, bucket, s, at := inTestBucket(t, shelved)
	check(t, os.Remove(filepath.Join(bucket, "a_1")))
	check(t, s.Fetch(t.Context(), at))
	if !slices.Equal(s.About.Missing, []string{"a_1"}) || s.About.FromBucket != 2 {
		t.Errorf("%+v", s.About)
	}
	check(t, os.Remove(filepath.Join(bucket, "b_2")))
	path := filepath.Join(t.TempDir(), "x")
	m, err := Save(t.Context(), path, s, false)
	check(t, err)
	verified, err := Verify(t.Context(), path)
	check(t, err)
	for _, m := range []*Manifest{m, verified} {
		if !slices.Equal(m.Missing, []string{"a_1", "b_2"}) || m.FromBucket != 1 || !slices.Equal(m.Uploads(), []string{"here_3", "z_4"}) {
			t.Errorf("%+v", m)
		}
	}
}

// A bucket that breaks off, or a command that is stopped, leaves no backup.
func TestFetchingThatEnds(t *testing.T) {
	_, _, s, at := inTestBucket(t, shelved)
	check(t, s.Fetch(t.Context(), at))
	ctx, stop := context.WithCancel(t.Context())
	folder := t.TempDir()
	away := &media.UnreachableError{Storage: at.String(), Err: io.ErrUnexpectedEOF}
	at.opening = func(string) error { return away }
	if _, err := Save(ctx, filepath.Join(folder, "x"), s, false); !errors.As(err, new(*media.UnreachableError)) {
		t.Errorf("a bucket that is away: %v", err)
	}
	at.opening = func(string) error { stop(); return nil }
	if _, err := Save(ctx, filepath.Join(folder, "x"), s, false); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that is stopped: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("there is left %v, %v", left, err)
	}
	s.UseBucket("s3://elsewhere")
	if err := s.Fetch(t.Context(), at); !errors.As(err, new(*OtherBucketError)) || !strings.Contains(err.Error(), "s3://guide/files") || !strings.Contains(err.Error(), "s3://elsewhere") {
		t.Errorf("another bucket: %v", err)
	}
}

// A name of a record that leads elsewhere is fetched from nowhere.
func TestFetchingNamesThatLeadElsewhere(t *testing.T) {
	folder := newFolder(t, nil)
	db, err := store.Open(filepath.Join(folder, dataName), store.Options{})
	check(t, err)
	check(t, db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: files, After: record(1, "../quire.db")}) }))
	check(t, db.Close())
	s, err := Open(folder, named)
	check(t, err)
	defer s.Close()
	s.UseBucket("s3://guide/files")
	check(t, s.Fetch(t.Context(), &testBucket{Storage: media.Disk(filepath.Join(folder, "uploads"))}))
	if !slices.Equal(s.About.Missing, []string{"../quire.db"}) || s.About.FromBucket != 0 {
		t.Errorf("%+v", s.About)
	}
}

// What a backup says is gone can be nothing but uploads that it says it would fetch, after
// all others.
func TestHostileListsOfWhatIsGone(t *testing.T) {
	data := whole(t)[1]
	list := func(files ...File) part {
		text, err := json.Marshal(files)
		check(t, err)
		return part{name: manifestName, content: string(text)}
	}
	is := File{Name: dataName, Size: int64(len(data.content)), Sum: sha256.Sum256([]byte(data.content))}
	gone := func(name string) File { return File{Name: name, Gone: true} }
	about := strings.Replace(aboutText, "{", `{"bucket": "s3://guide", "fromBucket": 1, `, 1)
	for i, c := range []struct {
		about string
		end   part
		good  bool
	}{
		{about, list(is, gone("uploads/a_1")), true},
		{aboutText, list(is, gone("uploads/a_1")), false},
		{about, list(is, gone("uploads/a_1"), gone("uploads/b_1")), false},
		{about, list(is, gone("uploads/../a")), false},
		{about, list(gone("uploads/a_1"), is), false},
		{about, list(gone(dataName)), false},
		{about, part{name: manifestName, content: "[" + strings.Repeat(" ", mostGone+3*mostLine) + "]"}, false},
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		check(t, os.WriteFile(path, pack(t, part{name: aboutName, content: c.about}, data, c.end), 0o600))
		if _, err := Verify(t.Context(), path); c.good != (err == nil) || err != nil && !isFileError(err) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// A backup that could not be read back for the length of its lists is not begun.
func TestTooManyMissing(t *testing.T) {
	_, _, s, _ := inTestBucket(t, shelved)
	for i := range mostAbout / 16 {
		s.About.Missing = append(s.About.Missing, fmt.Sprintf("file_%09d", i))
	}
	if _, err := Save(t.Context(), filepath.Join(t.TempDir(), "x"), s, false); err == nil || !strings.Contains(err.Error(), "so many uploads are missing") {
		t.Error(err)
	}
}
