package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"quire/media"
	"quire/store"
)

// Whatever somebody puts in the place of a segment, an error names it and says what can be
// restored, that can be restored, and a check names it too.
func TestHostileSegments(t *testing.T) {
	s := newSite(t)
	s.send()
	for range 4 {
		s.write()
		s.send()
	}
	path := func(n uint64) string {
		return filepath.Join(s.target.(*folder).path, entry{letter: eachLetter, from: n}.name(s.id))
	}
	whole, other, former := mustRead(t, path(3)), mustRead(t, path(2)), newSite(t)
	former.send()
	former.write()
	former.send()
	foreign := mustRead(t, filepath.Join(former.target.(*folder).path, entry{letter: eachLetter, from: 1}.name(former.id)))
	put := func(text []byte) func() { return func() { check(t, os.WriteFile(path(3), text, 0o600)) } }
	forged := func(content []byte, change func(*Header)) func() {
		return func() {
			s.forge(entry{letter: eachLetter, from: 3}, change)
			h := s.headOf(3)
			if content != nil {
				h.Size = int64(len(content))
				check(t, writeObject(path(3), h, nil, func(to io.Writer) error { _, err := to.Write(content); return err }))
			}
		}
	}
	same := func(*Header) {}
	for what, do := range map[string]func(){
		"empty":                  put(nil),
		"cut off":                put(whole[:len(whole)/2]),
		"longer":                 put(append(slices.Clone(whole), 0)),
		"of a huge head":         put(append(binary.BigEndian.AppendUint32([]byte(magic), 1<<31), whole[12:]...)),
		"another segment":        put(other),
		"of another data folder": put(foreign),
		"a link":                 func() { check(t, errors.Join(os.Remove(path(3)), os.Symlink(path(2), path(3)))) },
		"a folder":               func() { check(t, errors.Join(os.Remove(path(3)), os.Mkdir(path(3), 0o700))) },
		"of a huge size":         forged(nil, func(h *Header) { h.Size = 1 << 60 }),
		"of a negative size":     forged(nil, func(h *Header) { h.Size = -1 }),
		"of zeros":               forged(make([]byte, 100<<20), same),
		"a huge record":          forged([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, same),
		"of no place":            forged(appendRecord(nil, &store.Recorded{Ops: []store.Op{{Path: []string{"meta"}, Key: []byte("revision"), Value: []byte("9")}}}), same),
		"of nothing":             forged(appendRecord(nil, &store.Recorded{Ops: make([]store.Op, 1<<20)}), same),
	} {
		do()
		broken := new(BrokenError)
		_, _, err := s.restored(Latest)
		if name := filepath.Base(path(3)); !errors.As(err, &broken) || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "segment 3") {
			t.Fatalf("%s: %v", what, err)
		}
		p := s.ledger[1]
		p.at = broken.Last
		s.requireMoment(p)
		if checked, err := s.catalog().CheckIn(t.Context(), t.TempDir(), namesIn); err != nil || len(checked.Problems) == 0 || len(checked.Whole) != 1 {
			t.Errorf("%s is checked: %+v, %v", what, checked, err)
		}
		check(t, os.RemoveAll(path(3)))
		put(whole)()
	}
	s.requireMoment(s.ledger[len(s.ledger)-1])
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	return text
}

// headOf reads the head of a segment.
func (s *site) headOf(n uint64) *Header {
	s.t.Helper()
	h, err := s.catalog().head(s.t.Context(), entry{letter: eachLetter, from: n})
	check(s.t, err)
	return h
}

// counting counts the objects that were read to their end.
type counting struct {
	media.Storage
	read atomic.Int64
}

func (c *counting) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	file, about, err := c.Storage.Open(ctx, name)
	return &counted{file, c}, about, err
}

type counted struct {
	io.ReadSeekCloser
	of *counting
}

func (c *counted) Close() error {
	c.of.read.Add(1)
	return c.ReadSeekCloser.Close()
}

// Segments are read ahead only as far as all of them together take no more memory than the
// largest one may.
func TestSegmentsTakeBoundedMemory(t *testing.T) {
	s := newSite(t)
	target := &counting{Storage: Folder(t.TempDir())}
	c := &Catalog{Target: target, ID: s.id}
	var list []entry
	const size = mostSegment/2 + 1 // of zeros
	for n := range uint64(4) {
		path := filepath.Join(t.TempDir(), "object")
		check(t, writeObject(path, &Header{Kind: segmentKind, Number: n + 1, Through: n + 1, Size: size}, nil, func(to io.Writer) error {
			_, err := to.Write(make([]byte, size))
			return err
		}))
		e := entry{letter: eachLetter, from: n + 1, to: n + 1}
		check(t, target.Put(t.Context(), media.LocalFile{Path: path, Name: e.name(s.id)}))
		list = append(list, e)
	}
	taken := int64(0)
	for f := range c.fetch(t.Context(), list) {
		taken++
		if read := target.read.Load(); f.err != nil || int64(len(f.content)) != size || read > taken {
			t.Errorf("segment %d: %d bytes, %v; %d were read", f.from, len(f.content), f.err, read)
		}
	}
	if taken != int64(len(list)) {
		t.Errorf("%d of %d segments", taken, len(list))
	}
}
