package media

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A stranger who asks for pictures of a broken file, in turn and at once, in all sizes and
// formats, has it decoded once; after a while, or once the file was replaced, it is tried
// again.
func TestABrokenPictureIsDecodedOnce(t *testing.T) {
	l := newLibrary(t)
	whole := encoded(t, "image/jpeg", drawn(600, 400))
	name, id := l.keep("broken.jpg", whole[:len(whole)/2])
	s := l.folder.pictures
	var made atomic.Int64
	s.made = func() { made.Add(1) }
	ask := func(a Ask) {
		made, err := l.Make(t.Context(), l.picture(name, a))
		if refused := new(PictureError); made != nil || !errors.As(err, &refused) || refused.Reason != unreadable {
			t.Errorf("%+v: %v", a, err)
		}
	}
	ask(Ask{Width: 300})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { ask(Ask{Width: i + 1, Quality: i + 1, Format: []string{"", "png", "webp"}[i%3]}) })
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("51 requests had it decoded %d times", n)
	}
	s.failures.now = func() time.Time { return time.Now().Add(rememberedFor) }
	ask(Ask{Width: 300})
	if n := made.Load(); n != 2 {
		t.Errorf("after a while it was decoded %d times", n)
	}
	u := l.receive("whole.jpg", whole)
	_, err := l.Replace(t.Context(), id, u)
	check(t, err)
	l.bytes(l.Make(t.Context(), l.picture(name, Ask{Width: 300})))
}

// However many files are broken, so many failures are remembered and no more, and the
// latest are.
func TestFailuresAreBounded(t *testing.T) {
	u := newPictureFailures()
	broken := func(i int) *Picture { return &Picture{of: fmt.Sprint(i)} }
	for i := range mostFailures + 100 {
		u.remember(broken(i), &PictureError{Reason: unreadable, Err: errors.New("broken")})
	}
	if len(u.by) != mostFailures || len(u.order) != mostFailures {
		t.Errorf("%d and %d are remembered", len(u.by), len(u.order))
	}
	if u.reason(broken(99)) != nil || u.reason(broken(100)) == nil || u.reason(broken(mostFailures+99)) == nil {
		t.Error("not the latest are remembered")
	}
}

// What says nothing of the file is not held against it.
func TestWhatIsNoFailureOfAFile(t *testing.T) {
	u, p := newPictureFailures(), &Picture{of: "a.jpg"}
	for _, err := range []error{
		ErrBusy, ErrNotFound, &PictureError{Reason: "too large"},
		&PictureError{Reason: unreadable, Err: &pictureError{&fs.PathError{Op: "read", Path: "a.jpg", Err: errors.New("input/output error")}}},
	} {
		if u.remember(p, err); u.reason(p) != nil {
			t.Errorf("%v is remembered", err)
		}
	}
	u.remember(p, &PictureError{Reason: "no such format", Err: errors.New("encoder")})
	other := *p
	other.ask.Width = 5
	if u.reason(p) == nil || u.reason(&other) != nil {
		t.Error("a picture that cannot be written is held against others of the file, or not at all")
	}
}
