package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// Spool holds a great many entries on their way to a data file, in the order of that file,
// in whatever order they arrive. Stored one by one, each would read and write its own page;
// from a spool, the pages are written once, and full.
//
// It is a file without a name next to the data file, which is removed with the process. It
// has sorted runs, one for each Put. One goroutine may Put while others look up entries;
// All comes last.
type Spool struct {
	file    *os.File
	out     *bufio.Writer
	size    atomic.Int64 // of what was written, which look-ups read too
	ends    []int64      // of the runs
	encoder *encoder

	mu     sync.Mutex
	hash   func(name []byte) uint64
	places map[uint64]int64 // of the newest entry of each name, by its hash
	others map[string]int64 // of names with the hash of another one
}

// NewSpool returns an empty spool next to the data file. The error is a *WriteError.
func (db *DB) NewSpool() (*Spool, error) {
	folder := filepath.Dir(db.path)
	f, err := nameless(folder, spoolPattern)
	if err != nil {
		return nil, err
	}
	seed := maphash.MakeSeed()
	return &Spool{
		file: f, out: bufio.NewWriterSize(f, 1<<20), encoder: newEncoder(),
		hash:   func(name []byte) uint64 { return maphash.Bytes(seed, name) },
		places: map[uint64]int64{}, others: map[string]int64{},
	}, nil
}

// Close removes the spool's file.
func (s *Spool) Close() error { return s.file.Close() }

// spooledName returns the name of an entry in the spool: the bucket and the key in the data
// file, so that names have the order that entries have there. None contains a zero byte.
func spooledName(n Name) []byte {
	p := entryBucketOf(n.Type, n.Key.Locale).path()
	return slices.Concat([]byte(p[1]), []byte{0}, []byte(p[2]), []byte{0}, storedKey(n.Key))
}

// Put adds the new state of entries, nil for deleted ones. The errors are *EntryError for
// what cannot be stored, and *WriteError.
func (s *Spool) Put(entries map[Name]*Entry) error {
	run := make([]spooled, 0, len(entries))
	for n, e := range entries {
		run = append(run, spooled{name: spooledName(n), of: n, entry: e})
	}
	slices.SortFunc(run, func(a, b spooled) int { return bytes.Compare(a.name, b.name) })
	places := make([]int64, len(run))
	for i := range run {
		places[i] = s.size.Load()
		if err := s.write(&run[i]); err != nil {
			return err
		}
	}
	if err := s.out.Flush(); err != nil {
		return s.failed(err)
	}
	s.ends = append(s.ends, s.size.Load())
	return s.note(run, places)
}

// spooled is an entry on its way to a run.
type spooled struct {
	name  []byte
	of    Name
	entry *Entry
}

// write writes the length of the name, the name, the length of the value, and the value,
// which is empty for a deleted entry.
func (s *Spool) write(one *spooled) (err error) {
	var value []byte
	if one.entry != nil {
		if err = checkKey(one.of.Type, one.of.Key); err == nil {
			value, err = s.encoder.entry(entryBucketOf(one.of.Type, one.of.Key.Locale), storedKey(one.of.Key), one.entry)
		}
		if err != nil {
			return &EntryError{Type: one.of.Type, Key: one.of.Key, Err: err}
		}
	}
	for _, part := range [][]byte{one.name, value} {
		var length [binary.MaxVarintLen64]byte
		n := binary.PutUvarint(length[:], uint64(len(part)))
		_, _ = s.out.Write(length[:n]) // a Writer keeps its first error
		if _, err := s.out.Write(part); err != nil {
			return s.failed(err)
		}
		s.size.Add(int64(n + len(part)))
	}
	return nil
}

// note makes a run available to Entry.
func (s *Spool) note(run []spooled, places []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range run {
		name := run[i].name
		hash := s.hash(name)
		if at, taken := s.places[hash]; taken {
			there, err := s.at(at)
			if err != nil {
				return err
			}
			if !bytes.Equal(there.name, name) {
				s.others[string(name)] = places[i]
				continue
			}
		}
		s.places[hash] = places[i]
	}
	return nil
}

// Entry returns the last state under that name; known is false if there is none. The entry
// is nil if it was deleted.
func (s *Spool) Entry(n Name) (e *Entry, known bool, err error) {
	if checkKey(n.Type, n.Key) != nil {
		return nil, false, nil
	}
	name := spooledName(n)
	s.mu.Lock()
	at, known := s.others[string(name)]
	if !known {
		at, known = s.places[s.hash(name)]
	}
	s.mu.Unlock()
	if !known {
		return nil, false, nil
	}
	one, err := s.at(at)
	if err != nil || !bytes.Equal(one.name, name) {
		return nil, false, err
	}
	e, err = one.Entry()
	return e, true, err
}

// at reads the entry at an offset.
func (s *Spool) at(place int64) (Spooled, error) {
	return s.next(bufio.NewReaderSize(io.NewSectionReader(s.file, place, s.size.Load()-place), 2048))
}

// next reads the next entry.
func (s *Spool) next(from *bufio.Reader) (one Spooled, err error) {
	for _, part := range []*[]byte{&one.name, &one.value} {
		n, err := binary.ReadUvarint(from)
		if err == nil && n > uint64(s.size.Load()) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return one, s.failed(err)
		}
		*part = make([]byte, n)
		if _, err := io.ReadFull(from, *part); err != nil {
			return one, s.failed(err)
		}
	}
	return one, nil
}

func (s *Spool) failed(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return namelessError(s.file, err)
}
