package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/store"
)

// forge replaces an object by one without a key, as somebody can who may write to the target.
func (s *site) forge(e entry, change func(*Header)) {
	s.t.Helper()
	o, err := openObject(s.t.Context(), s.target, e.name(s.id))
	check(s.t, err)
	content, err := o.readAll(s.key)
	check(s.t, errors.Join(err, o.close()))
	h := o.Header
	h.Nonce = ""
	change(&h)
	path := filepath.Join(s.target.(*folder).path, e.name(s.id))
	check(s.t, writeObject(path, &h, nil, func(to io.Writer) error { _, err := to.Write(content); return err }))
}

// With a key, nothing is restored that somebody has put into the target who does not have it,
// and nobody else can end the stream.
func TestForgedObjects(t *testing.T) {
	begin := func() *site {
		s := newKeyedSite(t, "a passphrase")
		s.write()
		s.send()
		return s
	}
	s := begin()
	s.forge(entry{letter: eachLetter, from: 1}, func(*Header) {})
	if _, _, err := s.restored(Latest); !errors.Is(err, ErrNotKeyed) {
		t.Errorf("a forged segment: %v", err)
	}
	if checked, err := s.catalog().CheckIn(t.Context(), t.TempDir(), namesIn); err != nil || len(checked.Problems) == 0 {
		t.Errorf("a forged segment is checked: %+v, %v", checked, err)
	}
	s = begin()
	s.forge(s.catalog().images[0], func(*Header) {})
	if _, _, err := s.restored(Latest); !errors.Is(err, ErrNotKeyed) {
		t.Errorf("a forged image: %v", err)
	}
	s = begin()
	c := s.catalog()
	c.Key = nil
	if _, err := c.Finish(t.Context(), t.TempDir(), Takeover{Epoch: 2, Leader: "http://mine", Stream: "3c4d", Has: store.CommitID{}}); err != nil {
		t.Fatal(err)
	}
	s.sender.Replaced = func(Takeover) { t.Error("a forged end replaces the server") }
	s.write()
	if err := s.trySend(); err == nil || errors.As(err, new(*EndedError)) {
		t.Errorf("a forged end: %v", err)
	}
	if end, err := s.sender.Ended(context.Background()); end != nil || err == nil {
		t.Errorf("a forged end: %+v, %v", end, err)
	}
}

// Objects that were made to fill the disk are refused before they are unpacked, also if only all of
// them together are too much.
func TestObjectsThatFillTheDisk(t *testing.T) {
	const most, why = freelyUnpacks, "unpacks to more than 200 times its size"
	begin := func() *site {
		s := newSite(t)
		s.upload(1, "one.txt")
		s.upload(2, "two.txt")
		s.write()
		s.send()
		return s
	}
	refused := func(s *site, what string) {
		t.Helper()
		if _, _, err := s.restored(Latest); !errors.As(err, new(*DamageError)) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", what, err)
		}
		if checked, err := s.catalog().CheckIn(t.Context(), t.TempDir(), namesIn); err != nil || len(checked.Problems) == 0 {
			t.Errorf("%s is checked: %+v, %v", what, checked, err)
		}
	}
	s := begin()
	s.forge(s.catalog().images[0], func(h *Header) { h.Size = 2 * most })
	refused(s, "an image")
	s = begin()
	s.forge(entry{letter: fileLetter, file: s.key.nameOf("one.txt")}, func(h *Header) { h.Size = 2 * most })
	refused(s, "an upload")
	x := expansion{most}
	for i, size := range []int64{most / 2, 200 * 100, most/2 + 200*100} {
		check(t, x.add("it", size, 100*int64(i)))
	}
	if err := x.add("it", 200*100+20001, 100); err == nil {
		t.Error("objects that together unpack to too much are restored")
	}
}

// Nor does it help to say that an object is large, and to send only the part of it that unpacks to
// much.
func TestAnObjectThatIsSmallerThanItSays(t *testing.T) {
	const most = freelyUnpacks + 256<<20
	var sent bytes.Buffer
	check(t, pack(&sent, func(to io.Writer) error {
		_, err := io.CopyN(to, zeros{}, most)
		return err
	}))
	const claimed = 1 << 40
	o := &object{Header: Header{Size: most}, stored: claimed, payload: &io.LimitedReader{R: &sent, N: claimed}}
	err := o.pass(nil, func(from io.Reader) error {
		_, err := io.Copy(io.Discard, from)
		return err
	})
	if !errors.Is(err, errUnpacks) {
		t.Errorf("it is unpacked: %v", err)
	}
}

// zeros reads zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// An object that was put in the place of another one is not taken for that, also if it is whole
// and encrypted with the right key.
func TestObjectsThatChangePlaces(t *testing.T) {
	s := newKeyedSite(t, "a passphrase")
	s.upload(1, "one.txt")
	s.upload(2, "two.txt")
	s.send()
	check(t, s.sender.putImage(t.Context(), imageLetter))
	at := func(e entry) string { return filepath.Join(s.target.(*folder).path, e.name(s.id)) }
	swap := func(a, b string) {
		t.Helper()
		check(t, os.Rename(a, a+"~"))
		check(t, os.Rename(b, a))
		check(t, os.Rename(a+"~", b))
	}
	images := s.catalog().images
	for what, pair := range map[string][2]string{
		"uploads": {at(entry{letter: fileLetter, file: s.key.nameOf("one.txt")}), at(entry{letter: fileLetter, file: s.key.nameOf("two.txt")})},
		"images":  {at(images[0]), at(images[1])},
	} {
		swap(pair[0], pair[1])
		if _, _, err := s.restored(Latest); !errors.As(err, new(*DamageError)) {
			t.Errorf("%s have changed places: %v", what, err)
		}
		swap(pair[0], pair[1])
	}
	last := s.ledger[len(s.ledger)-1]
	s.requireMoment(last)
}

// With the first key, the stream begins anew: what is encrypted needs nothing that is not.
func TestAKeyThatIsAdded(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	s.send()
	first := s.ledger[0]
	check(t, s.sender.Close())
	s.key = mustKey(t, "a passphrase")
	s.begin()
	s.send()
	s.write()
	s.send()
	s.requireMoment(s.ledger[1])
	if _, _, err := s.restored(first.at); !errors.Is(err, ErrNotKeyed) {
		t.Errorf("what is not encrypted is restored with a key: %v", err)
	}
	s.key = nil
	s.requireMoment(first)
}
