package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/media"
	"quire/store"
)

// faulty is a target that fails as a test tells it.
type faulty struct {
	media.Storage
	down    bool // nothing is answered
	lost    bool // what is put arrives, and the answer does not
	late    bool // what is put arrives after the answer that it did not
	arrives []func() error
}

func (f *faulty) answer() error {
	if f.down {
		return &media.UnreachableError{Storage: "the target", Err: errors.New("it is away")}
	}
	return nil
}

func (f *faulty) Put(ctx context.Context, files ...media.LocalFile) error {
	if err := f.answer(); err != nil {
		return err
	}
	lost := &media.UnreachableError{Storage: "the target", Err: errors.New("no answer")}
	if f.late {
		content, err := os.ReadFile(files[0].Path)
		if err != nil {
			return err
		}
		f.arrives = append(f.arrives, func() error {
			path := filepath.Join(os.TempDir(), fmt.Sprintf("late-%d", os.Getpid()))
			defer os.Remove(path)
			return errors.Join(os.WriteFile(path, content, 0o600), f.Storage.Put(context.Background(), media.LocalFile{Path: path, Name: files[0].Name}))
		})
		return lost
	}
	if err := f.Storage.Put(ctx, files...); err != nil {
		return err
	}
	if f.lost {
		f.down = true // also to the question whether it has arrived
		return lost
	}
	return nil
}

func (f *faulty) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	if err := f.answer(); err != nil {
		return nil, media.Object{}, err
	}
	return f.Storage.Open(ctx, name)
}

func (f *faulty) List(ctx context.Context, fn func(media.Object) error) error {
	return errors.Join(f.answer(), f.Storage.List(ctx, fn))
}

func newFaulty(t *testing.T) (*site, *faulty) {
	t.Helper()
	s := newSite(t)
	f := &faulty{Storage: s.target}
	s.target = f
	check(t, s.sender.Close())
	s.begin()
	return s, f
}

// requireLedger demands every moment of the ledger.
func (s *site) requireLedger() {
	s.t.Helper()
	for _, p := range s.ledger {
		s.requireMoment(p)
	}
}

// While the target is away, writes go on, and wait on the disk, also across a restart. Then
// every one of them arrives.
func TestATargetThatIsAway(t *testing.T) {
	s, f := newFaulty(t)
	s.send()
	s.write()
	f.down = true
	for i := range 20 {
		s.write()
		if err := s.trySend(); !errors.As(err, new(*media.UnreachableError)) {
			t.Fatalf("sent to nobody: %v", err)
		}
		if i == 10 {
			s.restart()
		}
	}
	if bytes, since := s.sender.queue.Waiting(); bytes == 0 || since.IsZero() {
		t.Errorf("%d bytes wait since %v", bytes, since)
	}
	f.down = false
	s.send()
	if bytes, since := s.sender.queue.Waiting(); bytes != 0 || !since.IsZero() {
		t.Errorf("%d bytes wait since %v", bytes, since)
	}
	s.requireLedger()
}

// A segment whose answer is lost, or that arrives later than the answer that it did not, is
// in the stream once. The sender does not mistake it for another's.
func TestATargetWhoseAnswersAreLost(t *testing.T) {
	for _, restart := range []bool{false, true} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("late %v, restart %v", late, restart), func(t *testing.T) {
				s, f := newFaulty(t)
				s.send()
				s.write()
				f.lost, f.late = !late, late
				if err := s.trySend(); err == nil {
					t.Fatal("it was sent")
				}
				f.lost, f.late, f.down = false, false, false
				s.write()
				if restart {
					s.restart()
				}
				if late {
					if restart {
						check(t, s.sender.connect(t.Context()))
					}
					for _, arrive := range f.arrives {
						check(t, arrive())
					}
				}
				s.send()
				s.write()
				s.send()
				s.requireLedger()
			})
		}
	}
}

// A queue has a bound. When it is full, nothing more waits; what waits arrives, and then the
// stream begins anew.
func TestAQueueThatIsFull(t *testing.T) {
	s, f := newFaulty(t)
	s.send()
	f.down = true
	s.sender.queue.most = 5_000
	for range 60 {
		s.write()
		if bytes, _ := s.sender.queue.Waiting(); bytes > 5_000 {
			t.Fatalf("%d bytes wait", bytes)
		}
	}
	last, err := s.db.LastCommit()
	check(t, err)
	if err := s.sender.queue.Seal(last); !errors.Is(err, ErrQueueFull) {
		t.Fatalf("%v", err)
	}
	f.down = false
	s.send()
	s.write()
	s.send()
	s.requireMoment(s.ledger[0])
	s.requireMoment(s.ledger[len(s.ledger)-1])
	ranges, err := s.catalog().Ranges(t.Context())
	if err != nil || len(ranges) != 2 || !ranges[0].To.Before(ranges[1].From) {
		t.Errorf("%+v, %v", ranges, err)
	}
}

// A copy of the data folder, which continues on another machine, is noticed by its first
// segment. What the other has sent stays as it is.
func TestTwoWritersAreNotMixed(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	s.send()
	check(t, s.sender.Close())
	check(t, s.db.Close())
	other := newSite(t)
	check(t, other.sender.Close())
	check(t, other.db.Close())
	check(t, os.RemoveAll(other.folder))
	check(t, os.CopyFS(other.folder, os.DirFS(s.folder)))
	other.target, other.ids = s.target, 1000
	s.open()
	other.open()
	check(t, s.sender.connect(t.Context()))
	check(t, other.sender.connect(t.Context()))
	s.write()
	s.send()
	other.write()
	if err := other.trySend(); !errors.As(err, new(*OtherWriterError)) {
		t.Fatalf("the other has sent: %v", err)
	}
	other.restart()
	other.write()
	if err := other.trySend(); !errors.As(err, new(*OtherWriterError)) {
		t.Fatalf("after a restart the other has sent: %v", err)
	}
	if err := other.sender.putImage(t.Context(), imageLetter); !errors.As(err, new(*OtherWriterError)) {
		t.Fatalf("the other has put an image: %v", err)
	}
	s.write()
	s.send()
	s.requireLedger()
}

// A target that was put back to a former state, or is an empty one, gets an image.
func TestATargetThatHasLostSomething(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	s.send()
	f := s.target.(*folder)
	check(t, s.target.Delete(t.Context(), entry{letter: eachLetter, from: 1}.name("1a2b")))
	s.restart()
	s.write()
	if _, m, err := s.restored(Latest); err != nil || m.Gap != nil {
		t.Errorf("%+v, %v", m, err)
	}
	s.send()
	s.write()
	s.send()
	if _, m, err := s.restored(s.ledger[1].at); err != nil || m.Gap == nil || m.Commit.Revision != 0 {
		t.Errorf("what was lost is not missed: %+v, %v", m, err)
	}
	s.requireMoment(s.ledger[2])
	check(t, os.RemoveAll(f.path))
	s.restart()
	s.send()
	s.write()
	s.send()
	s.requireMoment(s.ledger[3])
}

// A folder whose parent is missing is on a disk that is not there: nothing is made in its
// place.
func TestADiskThatIsMissing(t *testing.T) {
	s := newSite(t)
	path := filepath.Join(t.TempDir(), "disk", "target")
	s.target = Folder(path)
	check(t, s.sender.Close())
	s.begin()
	s.write()
	if err := s.trySend(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob(filepath.Join(s.folder, "staged-*")); err != nil || len(left) > 0 {
		t.Errorf("a copy was made for nobody: %v, %v", left, err)
	}
	check(t, os.Mkdir(filepath.Dir(path), 0o700))
	s.send()
	s.write()
	s.send()
	s.requireMoment(s.ledger[1])
}

// Names of objects are read as they are written, and others are ignored.
func TestNamesOfObjects(t *testing.T) {
	for _, e := range []entry{{letter: eachLetter, from: 7, to: 7}, {letter: dayLetter, from: 7, to: 9}, {letter: anewLetter, from: 1, to: 1795541587814}, {letter: fileLetter, file: "ab"}} {
		if id, got, ok := parseName(e.name("1a2b")); !ok || id != "1a2b" || got != e {
			t.Errorf("%s: %v %v %v", e.name("1a2b"), id, got, ok)
		}
	}
	for _, name := range []string{"", "a.s", "a.s.7", "a.s.000000000000", "a.p.000000000007", "a.p.000000000009-000000000007", "a.x.000000000007", "a.ss.000000000007", "a.s.00000000000x", "a.s.-00000000007", "a.s.000000000007.b"} {
		if _, e, ok := parseName(name); ok {
			t.Errorf("%q is %v", name, e)
		}
	}
}

// With a key, nothing in the target can be read or recognized, and without it nothing is
// restored.
func TestAStreamWithAKey(t *testing.T) {
	s := newKeyedSite(t, "a passphrase")
	check(t, os.WriteFile(filepath.Join(s.folder, "uploads", "secret.txt"), []byte("content of secret.txt"), 0o600))
	check(t, s.db.Update(func(tx *store.Tx) error {
		return errors.Join(tx.Apply(store.Change{Type: files, After: textEntry(900, "u900", "secret.txt")}), tx.Apply(store.Change{Type: dogs, After: textEntry(901, "d901", "confidential")}))
	}))
	s.note()
	s.send()
	s.requireMoment(s.ledger[0])
	check(t, s.target.List(t.Context(), func(o media.Object) error {
		text, err := os.ReadFile(filepath.Join(s.target.(*folder).path, o.Name))
		for _, secret := range []string{"secret.txt", "confidential", "passphrase"} {
			if strings.Contains(o.Name+string(text), secret) {
				t.Errorf("%s shows %q", o.Name, secret)
			}
		}
		return err
	}))
	for key, want := range map[*Key]error{nil: ErrNoKey, mustKey(t, "another"): ErrWrongKey} {
		right := s.key
		s.key = key
		if _, _, err := s.restored(Latest); !errors.Is(err, want) {
			t.Errorf("restored: %v, want %v", err, want)
		}
		s.key = right
	}
}

func mustKey(t *testing.T, passphrase string) *Key {
	t.Helper()
	key, err := NewKey(passphrase, "1a2b")
	check(t, err)
	return key
}

// newKeyedSite returns a site whose stream has the key of a passphrase, none for an empty one, and
// has sent what there is.
func newKeyedSite(t *testing.T, passphrase string) *site {
	t.Helper()
	s := newSite(t)
	s.key = mustKey(t, passphrase)
	check(t, s.sender.Close())
	s.begin()
	s.send()
	return s
}

// What is damaged is named, and everything before and after it can be had.
func TestFlippedBits(t *testing.T) {
	for _, passphrase := range []string{"", "a passphrase"} {
		s := newKeyedSite(t, passphrase)
		for i := range 12 {
			s.write()
			s.send()
			if i == 7 {
				check(t, s.sender.putImage(t.Context(), imageLetter))
			}
		}
		for range 20 {
			s.flip()
		}
		for _, n := range []uint64{1, 3, 5} {
			s.without(n)
		}
	}
}

// An image may be damaged anywhere: a moment after it is restored from the one before.
func TestAnImageIsDamagedAnywhere(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	s.send()
	check(t, s.sender.putImage(t.Context(), imageLetter))
	s.write()
	s.send()
	images := s.catalog().images
	path := filepath.Join(s.target.(*folder).path, images[len(images)-1].name("1a2b"))
	whole, err := os.ReadFile(path)
	check(t, err)
	for at := 0; at < len(whole); at += 1 + len(whole)/40 {
		text := slices.Clone(whole)
		text[at] ^= 1
		check(t, os.WriteFile(path, text, 0o600))
		got, m, err := s.restored(s.ledger[1].at)
		if err != nil && strings.Contains(err.Error(), "format") {
			continue // another version of the format, as far as anyone can see
		}
		if err != nil || got.content != s.ledger[1].content || len(m.Skipped) != 1 {
			t.Errorf("byte %d of %d: %+v, %v", at, len(whole), m, err)
		}
	}
}

// flip flips a bit of an object, and demands that a check names that object, and that a moment
// is restored as it was or not at all.
func (s *site) flip() {
	s.t.Helper()
	var names []string
	check(s.t, s.target.List(s.t.Context(), func(o media.Object) error {
		names = append(names, o.Name)
		return nil
	}))
	slices.Sort(names)
	name := names[s.random.IntN(len(names))]
	path := filepath.Join(s.target.(*folder).path, name)
	text, err := os.ReadFile(path)
	check(s.t, err)
	at, bit := s.random.IntN(len(text)), byte(1)<<s.random.IntN(8)
	text[at] ^= bit
	check(s.t, os.WriteFile(path, text, 0o600))
	checked, err := s.catalog().CheckIn(s.t.Context(), s.t.TempDir(), namesIn)
	if err == nil && (len(checked.Problems) == 0 || !strings.Contains(strings.Join(checked.Problems, "\n"), name)) {
		s.t.Errorf("byte %d of %s: the check names %q", at, name, checked.Problems)
	}
	if err != nil && !errors.Is(err, ErrNoKey) && !strings.Contains(err.Error(), "format") {
		s.t.Errorf("byte %d of %s: %v", at, name, err)
	}
	p := s.ledger[s.random.IntN(len(s.ledger))]
	if got, _, err := s.restored(p.at); err == nil && got.content != p.content {
		s.t.Errorf("byte %d of %s: what was restored is something else", at, name)
	}
	text[at] ^= bit
	check(s.t, os.WriteFile(path, text, 0o600))
}

// without demands what can be had without a segment.
func (s *site) without(n uint64) {
	s.t.Helper()
	name := entry{letter: eachLetter, from: n}.name("1a2b")
	path := filepath.Join(s.target.(*folder).path, name)
	check(s.t, os.Rename(path, path+".away"))
	defer func() { check(s.t, os.Rename(path+".away", path)) }()
	broken := new(BrokenError)
	if _, _, err := s.restored(s.ledger[n].at); !errors.As(err, &broken) || !strings.Contains(err.Error(), fmt.Sprintf("segment %d", n)) {
		s.t.Errorf("without segment %d: %v", n, err)
	}
	if n > 1 {
		p := s.ledger[n-2]
		p.at = broken.Last
		s.requireMoment(p)
	}
	s.requireMoment(s.ledger[len(s.ledger)-1]) // by way of the second image
	checked, err := s.catalog().CheckIn(s.t.Context(), s.t.TempDir(), namesIn)
	if err != nil || len(checked.Problems) == 0 || len(checked.Whole) != 2 {
		s.t.Errorf("without segment %d the check finds %+v, %v", n, checked, err)
	}
}

// keeping is a target that removes nothing.
type keeping struct{ media.Storage }

func (keeping) Delete(context.Context, ...string) error { return nil }
