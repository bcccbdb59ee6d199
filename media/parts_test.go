package media

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"quire/store"
)

// reopen is a restart.
func (l *library) reopen() {
	l.t.Helper()
	check(l.t, l.folder.Close())
	folder, err := Open(l.path)
	check(l.t, err)
	l.Library = New(folder, l.site, l.index, l.writer)
}

func (l *library) begin(owner, name string, size int64) *Part {
	l.t.Helper()
	part, err := l.BeginPart(owner, PartForm{Name: name, Size: size, Info: []byte(`{"caption":"c"}`)})
	check(l.t, err)
	return part
}

// An upload goes on where it was after a piece that broke off, and after a restart; it
// becomes one file, with what was said about it.
func TestUploadInPieces(t *testing.T) {
	l := newLibrary(t)
	text := strings.Repeat("0123456789", 1000)
	part := l.begin("ana", "long.txt", int64(len(text)))
	broken := io.MultiReader(strings.NewReader(text[:3000]), iotest.ErrReader(errors.New("the line broke")))
	if _, _, err := l.WritePart(t.Context(), "ana", part.ID, 0, broken); !errors.As(err, new(*ReadError)) {
		t.Fatalf("a piece that broke off: %v", err)
	}
	check(t, os.WriteFile(l.folder.at(temporary+"lost"), []byte("x"), 0o600))
	l.reopen()
	if _, err := os.Stat(l.folder.at(temporary + "lost")); err == nil {
		t.Error("another upload that never ended is still there")
	}
	now, err := l.Part("ana", part.ID)
	if err != nil || now.Offset != 3000 {
		t.Fatalf("after a restart: %+v, %v", now, err)
	}
	var wrong *OffsetError
	if _, _, err := l.WritePart(t.Context(), "ana", part.ID, 5000, strings.NewReader(text[5000:])); !errors.As(err, &wrong) || wrong.Offset != 3000 {
		t.Errorf("a piece from elsewhere: %v", err)
	}
	if found, err := Check(l.folder.Path(), nil); err != nil || len(found.Strays) > 0 {
		t.Errorf("a check finds %v, %v", found, err)
	}
	done, _, err := l.WritePart(t.Context(), "ana", part.ID, 3000, strings.NewReader(text[3000:]))
	check(t, err)
	record := l.record(done.DocumentID)
	if stored, err := os.ReadFile(l.folder.at(record.Hash + record.Ext)); !done.Done || err != nil || string(stored) != text || record.Mime != "text/plain" {
		t.Errorf("%+v is %+v, %v", done, record, err)
	}
	l.reopen()
	again, _, err := l.WritePart(t.Context(), "ana", part.ID, int64(len(text)), strings.NewReader(""))
	if err != nil || !again.Done || again.DocumentID != done.DocumentID {
		t.Errorf("who has not heard the answer hears %+v, %v", again, err)
	}
	names, err := l.folder.names()
	check(t, err)
	if n := len(slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, partPrefix) })); n != 1 {
		t.Errorf("%d names of uploads are left", n)
	}
}

// A crash between the record and the note of it makes no second file.
func TestUploadIsKeptOnce(t *testing.T) {
	l := newLibrary(t)
	part := l.begin("ana", "a.txt", 4)
	p := l.folder.parts
	held, err := p.take("ana", part.ID)
	check(t, err)
	check(t, p.write(held, 0, strings.NewReader("text")))
	check(t, l.savePart(t.Context(), held))
	p.giveBack(held)
	l.reopen()
	done, _, err := l.WritePart(t.Context(), "ana", part.ID, 4, strings.NewReader(""))
	if err != nil || !done.Done {
		t.Fatalf("%+v, %v", done, err)
	}
	if n := l.index.Snapshot().Lookup(l.files, store.Published).Len(); n != 1 {
		t.Errorf("there are %d files", n)
	}
}

func TestUploadsInPiecesAreBounded(t *testing.T) {
	l := newLibrary(t)
	for _, form := range []PartForm{{Name: "", Size: 1}, {Name: "a", Size: 0}, {Name: "a", Size: -1}, {Name: "a", Size: l.site.Settings.Upload.SizeLimit + 1}, {Name: strings.Repeat("a", 1001), Size: 1},
		{Name: "a", Size: 1, Info: []byte(`{"hash":"x"}`)}, {Name: "a", Size: 1, Info: []byte(`{"caption":"` + strings.Repeat("x", longestPart) + `"}`)}} {
		if _, err := l.BeginPart("ana", form); err == nil {
			t.Errorf("%.60v has begun", form)
		}
	}
	for i := range PartsOfAll {
		l.begin(fmt.Sprint(i/PartsOfOne), "a.txt", 5)
	}
	var full *FullError
	if _, err := l.BeginPart("0", PartForm{Name: "a", Size: 1}); !errors.As(err, &full) || !strings.Contains(full.Message, "You have 20 uploads") {
		t.Errorf("one more of an owner: %v", err)
	}
	if _, err := l.BeginPart("new", PartForm{Name: "a", Size: 1}); !errors.As(err, &full) || !strings.Contains(full.Message, "Too many") {
		t.Errorf("one more of all: %v", err)
	}
	soon := time.Now().Add(PartsPause + time.Minute)
	l.folder.parts.now = func() time.Time { return soon }
	l.begin("0", "a.txt", 5) // in the place of one that has paused
	if n, _ := l.folder.parts.sum(func(held *heldPart) bool { return held.Owner == "0" }); n != PartsOfOne {
		t.Errorf("the owner has %d uploads", n)
	}
	later := time.Now().Add(PartsStay + time.Hour)
	l.folder.parts.now = func() time.Time { return later }
	l.begin("0", "a.txt", 5)
	names, err := l.folder.names()
	check(t, err)
	if len(names) != 2 {
		t.Errorf("after a day there are %d names", len(names))
	}
	l.site.Settings.Upload.SizeLimit = 6_000_000_000
	l.begin("large", "a.bin", 6_000_000_000)
	if _, err := l.BeginPart("large", PartForm{Name: "a", Size: 6_000_000_000}); !errors.As(err, &full) {
		t.Errorf("more bytes than one may have: %v", err)
	}
}

// An upload is its owner's; of two pieces that come at once one waits; what is refused is
// given up, as is more than was announced.
func TestUploadsInPiecesRefuse(t *testing.T) {
	l := newLibrary(t)
	part := l.begin("ana", "a.txt", 4)
	for _, id := range []string{part.ID, "nothing", "../" + part.ID, ""} {
		if _, _, err := l.WritePart(t.Context(), "bob", id, 0, strings.NewReader("text")); !errors.Is(err, ErrNoPart) {
			t.Errorf("somebody else writes: %v", err)
		}
		if err := l.GiveUpPart("bob", id); !errors.Is(err, ErrNoPart) {
			t.Errorf("somebody else gives it up: %v", err)
		}
	}
	if _, _, err := l.WritePart(t.Context(), "ana", part.ID, 0, strings.NewReader("text and more")); !errors.As(err, new(*TooLargeError)) {
		t.Errorf("more than was announced: %v", err)
	}
	slow, line := io.Pipe()
	other := l.begin("ana", "b.txt", 4)
	var both sync.WaitGroup
	both.Go(func() {
		if _, _, err := l.WritePart(t.Context(), "ana", other.ID, 0, slow); err != nil {
			t.Error(err)
		}
	})
	_, err := line.Write([]byte("te"))
	check(t, err)
	if _, _, err := l.WritePart(t.Context(), "ana", other.ID, 0, strings.NewReader("text")); !errors.Is(err, ErrPartBusy) {
		t.Errorf("two pieces at once: %v", err)
	}
	if err := l.GiveUpPart("ana", other.ID); !errors.Is(err, ErrPartBusy) {
		t.Errorf("given up while a piece comes: %v", err)
	}
	check(t, line.Close())
	both.Wait()
	check(t, l.GiveUpPart("ana", other.ID))
	l.site.Settings.Upload.Deny = []string{"text/*"}
	denied := l.begin("ana", "c.txt", 4)
	if _, _, err := l.WritePart(t.Context(), "ana", denied.ID, 0, strings.NewReader("text")); !errors.As(err, new(*TypeError)) {
		t.Errorf("a type that is not taken: %v", err)
	}
	if _, err := l.Part("ana", denied.ID); !errors.Is(err, ErrNoPart) {
		t.Errorf("what was refused is still there: %v", err)
	}
}
