package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/schema/settings"
)

// Nothing of a file that is not taken stays behind, and each says why.
func TestReceiveRefuses(t *testing.T) {
	l := newLibrary(t)
	rules := &settings.Upload{SizeLimit: 10_000, Deny: []string{"text/html", "application/*"}}
	picture := encoded(t, "image/png", drawn(400, 300))
	for name, test := range map[string]struct {
		in    io.Reader
		fault func(error) bool
	}{
		"no bytes":                   {strings.NewReader(""), is(ErrEmpty)},
		"a denied type":              {strings.NewReader("<!DOCTYPE html>"), as[*TypeError]()},
		"a denied kind":              {strings.NewReader("%PDF-1.7"), as[*TypeError]()},
		"one byte too many":          {bytes.NewReader(make([]byte, 10_001)), as[*TypeError]()},
		"one byte too many of text":  {strings.NewReader(strings.Repeat("a", 10_001)), as[*TooLargeError]()},
		"a file without end":         {endless{}, as[*TooLargeError]()},
		"one that breaks off early":  {&broken{[]byte("abc")}, is(errGone)},
		"one that breaks off late":   {&broken{bytes.Repeat([]byte("a"), 9000)}, is(errGone)},
		"nothing before it broke":    {&broken{}, as[*ReadError]()},
		"a picture that is too much": {io.MultiReader(bytes.NewReader(picture), endless{}), as[*TooLargeError]()},
	} {
		u, err := l.folder.Receive(t.Context(), test.in, "a.png", rules)
		if u != nil || !test.fault(err) {
			t.Errorf("%s: %v, %v", name, u, err)
		}
		if left := l.onDisk(); len(left) != 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
	u, err := l.folder.Receive(t.Context(), strings.NewReader(strings.Repeat("a", 10_000)), "a", rules)
	if err != nil || u.bytes != 10_000 {
		t.Errorf("the largest file: %v, %v", u, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("a"), len(p))), nil }

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

func as[E error]() func(error) bool {
	return func(err error) bool {
		var want E
		return errors.As(err, &want)
	}
}

// A client that goes away while its picture waits for its turn leaves nothing.
func TestReceiveGivesUp(t *testing.T) {
	l := newLibrary(t)
	leave, err := l.folder.work.enter(t.Context(), l.folder.work.bytes)
	check(t, err)
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() {
		_, err := l.Receive(ctx, bytes.NewReader(encoded(t, "image/png", drawn(400, 300))), "a.png")
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := l.onDisk(); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

// What is discarded is gone, with its formats; discarding twice does nothing.
func TestDiscard(t *testing.T) {
	l := newLibrary(t)
	u := l.receive("a.png", encoded(t, "image/png", drawn(600, 300)))
	if got := len(l.onDisk()); got != 3 {
		t.Errorf("%d files while it is held", got)
	}
	check(t, u.Discard())
	check(t, u.Discard())
	if left := l.onDisk(); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestGate(t *testing.T) {
	g := newWorkLimit()
	if g.bytes < pictureMemory || g.share < 1 || g.bytes < g.share {
		t.Fatalf("room %d, share %d", g.bytes, g.share)
	}
	for _, bytes := range []int64{0, 1, pictureMemory, 1 << 60} {
		leave, err := g.enter(t.Context(), bytes)
		check(t, err)
		leave()
	}
	if !g.busy.TryAcquire(g.bytes) {
		t.Error("not everything was given back")
	}
}

// A project's code gets the path of a file of a form, also if the site is named by a relative
// path. Code looks for relative paths in the folder of the project.
func TestATemporaryFileHasAnAbsolutePath(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	check(t, err)
	relative, err := filepath.Rel(here, t.TempDir())
	check(t, err)
	f, err := Open(relative)
	check(t, err)
	path, _, err := f.KeepTemporary(strings.NewReader("text"), "a.txt", 10)
	check(t, err)
	if text, err := os.ReadFile(path); !filepath.IsAbs(path) || string(text) != "text" {
		t.Errorf("%s has %q, %v", path, text, err)
	}
	check(t, f.Drop(path))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Drop: %v", err)
	}
	check(t, f.Close())
}
