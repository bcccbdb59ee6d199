package media

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"quire/content"
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// read is what a url hands out, empty when it is not found.
func (l *library) read(url string) string {
	l.t.Helper()
	served, err := l.Open(l.t.Context(), strings.TrimPrefix(url, urlPrefix))
	if errors.Is(err, ErrNotFound) {
		return ""
	}
	check(l.t, err)
	defer served.File.Close()
	data, err := io.ReadAll(served.File)
	check(l.t, err)
	return string(data)
}

func TestKeepReplaceDelete(t *testing.T) {
	l := newLibrary(t)
	first, second := encoded(t, "image/png", drawn(600, 300)), encoded(t, "image/jpeg", drawn(300, 600))
	id := l.keepOne("Größe.png", first)
	l.consistent(id)
	before := l.record(id)
	if !strings.HasPrefix(before.Hash, "Gro") || before.Ext != ".png" || before.URL != urlPrefix+before.Hash+".png" {
		t.Errorf("%+v", before)
	}
	if l.read(before.URL) != string(first) {
		t.Error("the url does not hand the file out")
	}

	u := l.receive("b.jpg", second)
	u.Info = FileInfo{"name": json.RawMessage(`"Tall"`)}
	_, err := l.Replace(t.Context(), id, u)
	check(t, err)
	l.consistent(id)
	after := l.record(id)
	if after.URL != before.URL || after.Hash == before.Hash || after.Ext != ".jpg" || after.Mime != "image/jpeg" {
		t.Errorf("%+v became %+v", before, after)
	}
	if l.read(after.URL) != string(second) {
		t.Error("the url does not hand the new file out")
	}
	for name, f := range after.formats() {
		if f.URL != strings.Replace(after.URL, urlPrefix, urlPrefix+name+"_", 1) || f.Name != name+"_Tall" || len(l.read(f.URL)) != int(f.SizeInBytes) {
			t.Errorf("%s: %+v", name, f)
		}
	}

	check(t, l.Delete(t.Context(), id))
	if left := l.onDisk(); len(left) != 0 || l.read(after.URL) != "" {
		t.Errorf("it leaves %v", left)
	}
	if err := l.Delete(t.Context(), id); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleting it again: %v", err)
	}
	for name, try := range map[string]func(u *Upload) (content.Result, error){
		"replace":  func(u *Upload) (content.Result, error) { return l.Replace(t.Context(), id, u) },
		"describe": func(*Upload) (content.Result, error) { return l.Describe(t.Context(), id, FileInfo{}) },
	} {
		u := l.receive("b.jpg", second)
		if _, err := try(u); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s what is gone: %v", name, err)
		}
		check(t, u.Discard())
	}
	if left := l.onDisk(); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

// Only what a record names is handed out.
func TestOpenOnlyWhatIsRecorded(t *testing.T) {
	l := newLibrary(t)
	id := l.keepOne("a.txt", []byte("text"))
	stored := l.record(id)
	check(t, os.WriteFile(filepath.Join(l.path, "stray.txt"), []byte("x"), 0o600))
	check(t, os.WriteFile(filepath.Join(l.path, temporary+"1"), []byte("x"), 0o600))
	for _, name := range []string{
		"", ".", "..", "stray.txt", temporary + "1", "../quire.db", "/etc/passwd", "thumbnail_" + stored.Hash + ".txt", "_" + stored.Hash + ".txt",
		stored.Hash, stored.Hash + ".txt/", "./" + stored.Hash + ".txt", strings.Repeat("_", 10000),
	} {
		if _, err := l.Open(t.Context(), name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%.50q: %v", name, err)
		}
	}
	check(t, os.Remove(filepath.Join(l.path, stored.Hash+".txt")))
	if _, err := l.Open(t.Context(), stored.Hash+".txt"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a file that is missing: %v", err)
	}
}

// When one of several uploads cannot be recorded, none is kept.
func TestKeepAllOrNothing(t *testing.T) {
	l := newLibrary(t)
	attribute := l.site.Type("api::restaurant.restaurant").Attribute("gallery")
	for name, test := range map[string]struct {
		info FileInfo
		to   *content.Attachment
	}{
		"a name that is too long":    {FileInfo{"name": json.RawMessage(`"` + strings.Repeat("x", 300) + `"`)}, nil},
		"a name that is no text":     {FileInfo{"name": json.RawMessage(`5`)}, nil},
		"an entry that is not there": {nil, &content.Attachment{Attribute: attribute, DocumentID: "nobody"}},
	} {
		good, bad := l.receive("a.txt", []byte("a")), l.receive("b.txt", []byte("b"))
		bad.Info = test.info
		if _, err := l.Save(t.Context(), []*Upload{good, bad}, test.to); err == nil {
			t.Errorf("%s is taken", name)
		}
		check(t, good.Discard())
		check(t, bad.Discard())
		if left := l.onDisk(); len(left) != 0 {
			t.Errorf("%s leaves %v", name, left)
		}
		if n := l.index.Snapshot().Table(l.files, store.Published).Len(); n != 0 {
			t.Errorf("%s leaves %d records", name, n)
		}
	}
	long := l.receive(strings.Repeat("x", 300)+".txt", []byte("a"))
	_, err := l.Save(t.Context(), []*Upload{long}, nil)
	check(t, long.Discard())
	if err == nil || len(l.onDisk()) != 0 {
		t.Errorf("a long file name: %v, leaves %v", err, l.onDisk())
	}
}

// While it is unknown what an earlier commit came to, nothing is kept, and nothing
// stays of what was to be.
func TestKeepWhileTheStoreIsSuspended(t *testing.T) {
	l := newLibrary(t)
	l.db.Suspend(&store.UncertainError{Err: errors.New("a bad disk")})
	if _, err := l.Save(t.Context(), []*Upload{l.receive("a.txt", []byte("a"))}, nil); !errors.As(err, new(*store.SuspendedError)) {
		t.Errorf("got %v", err)
	}
	if left := l.onDisk(); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

// A panic after the commit leaves it open whether the record was stored. Here it
// was, and its file must be there.
func TestKeepWhenTheCommitPanics(t *testing.T) {
	l := newLibrary(t)
	cancel := l.db.Subscribe(func(store.Commit) { panic("a defect") })
	_, err := l.Save(t.Context(), []*Upload{l.receive("a.txt", []byte("a"))}, nil)
	cancel()
	if !store.Uncertain(err) {
		t.Errorf("it is said to be certain: %v", err)
	}
	records := 0
	check(t, l.db.View(func(tx *store.Tx) error {
		return tx.Scan(schema.FileUID, func(*store.Entry) error { records++; return nil })
	}))
	if left := l.onDisk(); records != 1 || len(left) != 1 {
		t.Errorf("there are %d records, and on the disk is %v", records, left)
	}
}

// A write that is done is done, whatever becomes of the file that it no longer names.
func TestDeleteOfAFileThatCannotBeRemoved(t *testing.T) {
	l := newLibrary(t)
	id := l.keepOne("a.txt", []byte("a"))
	stored := l.record(id)
	name := filepath.Join(l.path, stored.Names()[0])
	check(t, os.Remove(name))
	check(t, os.MkdirAll(filepath.Join(name, "in the way"), 0o700))
	check(t, l.Delete(t.Context(), id))
	if _, ok := l.Find(id); ok {
		t.Error("the record is still there")
	}
}

func TestPicturesComeFirst(t *testing.T) {
	l := newLibrary(t)
	var uploads []*Upload
	for _, name := range []string{"menu.txt", "wide.jpg", "menu.txt", "dot.png"} {
		uploads = append(uploads, l.receive(name, sample(t, name)))
	}
	results, err := l.Save(t.Context(), uploads, nil)
	check(t, err)
	var order []string
	for _, r := range results {
		stored := l.record(r.DocumentID)
		order = append(order, stored.Mime)
	}
	if want := []string{"image/jpeg", "image/png", "text/plain", "text/plain"}; !slices.Equal(order, want) {
		t.Errorf("%v", order)
	}
}

// However changes of one file meet, its record names what is there, and nothing
// else is.
func TestChangesOfOneFileMeet(t *testing.T) {
	l := newLibrary(t)
	id := l.keepOne("a.txt", []byte("a"))
	var done sync.WaitGroup
	for n := range 20 {
		u := l.receive("b.txt", []byte("b"))
		done.Go(func() {
			_, err := l.Replace(t.Context(), id, u)
			if err := errors.Join(err, u.Discard()); err != nil {
				t.Error(err)
			}
		})
		if n%4 == 0 {
			done.Go(func() {
				if _, err := l.Describe(t.Context(), id, FileInfo{"caption": json.RawMessage(`"c"`)}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	done.Wait()
	l.consistent(id)
	for range 5 {
		u := l.receive("b.txt", []byte("b"))
		done.Go(func() { _, err := l.Replace(t.Context(), id, u); _ = errors.Join(err, u.Discard()) })
		done.Go(func() { _ = l.Delete(t.Context(), id) })
	}
	done.Wait()
	if left := l.onDisk(); len(left) != 0 {
		t.Errorf("after deleting: %v", left)
	}
}

// Whoever waits for files to be changed, as for the end of a backup, may leave.
func TestChangesThatWaitMayBeGivenUp(t *testing.T) {
	l := newLibrary(t)
	release := l.folder.Lock()
	defer release()
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := l.Delete(gone, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a delete: %v", err)
	}
	u := l.receive("a.txt", []byte("a"))
	if _, err := l.Replace(gone, "x", u); !errors.Is(err, context.Canceled) {
		t.Errorf("a change: %v", err)
	}
	check(t, u.Discard())
}

func TestParseInfo(t *testing.T) {
	for text, want := range map[string]string{
		`{"name": "a", "alternativeText": null}`:                                     `[map[alternativeText:null name:"a"]]`,
		`[{"name": "a"}, {}, {"caption": "c", "folder": 1, "focalPoint": {"x": 1}}]`: `[map[name:"a"] map[] map[caption:"c" focalPoint:{"x": 1} folder:1]]`,
		`[]`:            `[]`,
		``:              `fileInfo must be an object, or a list of objects, in JSON`,
		`5`:             `fileInfo must be an object, or a list of objects, in JSON`,
		`[5]`:           `fileInfo must be an object, or a list of objects, in JSON`,
		`{"nam": "a"}`:  `Invalid key nam at fileInfo`,
		`[{"url": 1}]`:  `Invalid key url at fileInfo`,
		`{"hash": "x"}`: `Invalid key hash at fileInfo`,
		`[{}, null]`:    `[map[] map[]]`,
		`null`:          `[]`,
		`{} {}`:         `fileInfo must be an object, or a list of objects, in JSON`,
		`[{} {}]`:       `fileInfo must be an object, or a list of objects, in JSON`,
		`[{}`:           `fileInfo must be an object, or a list of objects, in JSON`,
		`{"name": }`:    `fileInfo must be an object, or a list of objects, in JSON`,
		`[{},{},{},{}]`: `fileInfo describes more than 3 files`,
	} {
		infos, err := ParseInfo(text, 3)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var parts []string
			for _, info := range infos {
				var members []string
				for key, value := range info {
					members = append(members, key+":"+string(value))
				}
				slices.Sort(members)
				parts = append(parts, "map["+strings.Join(members, " ")+"]")
			}
			got = "[" + strings.Join(parts, " ") + "]"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A long text takes no memory for what is refused.
func TestInfoWithVeryManyMembers(t *testing.T) {
	var keys strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&keys, `"%d":0,`, i)
	}
	for name, text := range map[string]string{
		"files": "[" + strings.Repeat("{},", 100_000) + "{}]",
		"keys":  "{" + keys.String() + `"name":""}`,
	} {
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := ParseInfo(text, 1000); err == nil {
				t.Errorf("many %s are taken", name)
			}
		})
		if allocated > 10_000 {
			t.Errorf("many %s: %.0f allocations", name, allocated)
		}
	}
}

// Info that says nothing of a name leaves the file's own.
func TestNamelessInfo(t *testing.T) {
	l := newLibrary(t)
	for _, text := range []string{`{"name": null}`, `{"name": ""}`, `{"folder": null}`} {
		u := l.receive("a.txt", []byte("a"))
		infos, err := ParseInfo(text, 3)
		check(t, err)
		u.Info = infos[0]
		results, err := l.Save(t.Context(), []*Upload{u}, nil)
		check(t, err)
		if stored := l.record(results[0].DocumentID); !strings.HasPrefix(stored.Hash, "a_") {
			t.Errorf("%s: %+v", text, stored)
		}
	}
}

// A record whose file lies with a provider names nothing in the folder.
func TestFilesThatLieElsewhere(t *testing.T) {
	l := newLibrary(t)
	input, err := body.Decode(l.site, l.files, json.RawMessage(
		`{"name": "a", "hash": "a", "ext": ".png", "mime": "image/png", "size": 1, "url": "https://cdn.example/a.png", "provider": "s3", "formats": {"small": {"hash": "small_a", "ext": ".png", "url": "https://cdn.example/small_a.png"}}}`), nil)
	check(t, err)
	result, err := l.writer.Create(t.Context(), content.Request{Type: l.files, Input: input})
	check(t, err)
	stored := l.record(result.DocumentID)
	if names := stored.Names(); names != nil {
		t.Errorf("it names %v", names)
	}
	_, err = l.Replace(t.Context(), result.DocumentID, l.receive("b.png", encoded(t, "image/png", drawn(9, 9))))
	check(t, err)
	l.consistent(result.DocumentID)
	if stored := l.record(result.DocumentID); l.read(stored.URL) == "" {
		t.Errorf("what replaces it is not found: %+v", stored)
	}
	check(t, l.Delete(t.Context(), result.DocumentID))
}

func TestFindByEitherID(t *testing.T) {
	l := newLibrary(t)
	id := l.keepOne("a.txt", []byte("a"))
	for text, want := range map[string]string{id: id, "1": id, "2": "", "x": "", "": "", "-1": "", "99999999999999999999": ""} {
		if got, ok := l.Find(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
	if l.site.Type(schema.FileUID) != l.files {
		t.Error("files are of another type")
	}
}

// A record that names what lies elsewhere, however it came to be, does not get
// that deleted.
func TestDeleteStaysInTheFolder(t *testing.T) {
	l := newLibrary(t)
	secret := filepath.Join(filepath.Dir(l.path), "secret.db")
	check(t, os.WriteFile(secret, []byte("secret"), 0o600))
	input, err := body.Decode(l.site, l.files, []byte(`{"name": "x", "hash": "../secret", "ext": ".db", "mime": "text/plain", "size": 1, "url": "/uploads/x", "provider": "local",
		"formats": {"small": {"hash": "../secret", "ext": ".db", "url": "/uploads/y"}}}`), nil)
	check(t, err)
	made, err := l.writer.Create(t.Context(), content.Request{Type: l.files, Input: input})
	check(t, err)
	check(t, l.Delete(t.Context(), made.DocumentID))
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}
