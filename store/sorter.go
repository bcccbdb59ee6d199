package store

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Sorter sorts any number of records by their numbers: what exceeds a run in memory is in a
// file without a name, as for a Spool. Records with the same number keep their order. Only
// one goroutine may use it.
type Sorter struct {
	db    *DB
	run   int // bytes of records that are sorted in memory
	file  *os.File
	ends  []int64 // of the runs in the file
	bytes []byte  // of the waiting records
	waits []sortedRecord
}

// sortedRecord is the position of a record in memory.
type sortedRecord struct {
	number   uint64
	from, to int
}

// sorterRun is how many bytes of records are sorted in memory; sorterAhead is how many are
// read at a time, of all runs together, if there are many.
const (
	sorterRun   = 8 << 20
	sorterAhead = 8 << 20
)

// NewSorter returns an empty Sorter.
func (tx *Tx) NewSorter() *Sorter { return &Sorter{db: tx.db, run: sorterRun} }

// Close removes the Sorter's file.
func (s *Sorter) Close() error {
	s.bytes, s.waits = nil, nil
	if s.file == nil {
		return nil
	}
	_ = os.Remove(s.file.Name()) // if the system could not do it before
	return s.file.Close()
}

// Put adds a record, which it copies. The error is a *WriteError.
func (s *Sorter) Put(number uint64, record []byte) error {
	from := len(s.bytes)
	s.bytes = append(s.bytes, record...)
	s.waits = append(s.waits, sortedRecord{number, from, len(s.bytes)})
	if len(s.bytes)+len(s.waits)*recordBytes < s.run {
		return nil
	}
	return s.spill()
}

// recordBytes is the approximate additional memory for a record.
const recordBytes = 24

// sort sorts the waiting records.
func (s *Sorter) sort() {
	slices.SortStableFunc(s.waits, func(a, b sortedRecord) int { return cmp.Compare(a.number, b.number) })
}

// spill writes the waiting records to the file, as one more run.
func (s *Sorter) spill() error {
	if err := s.open(); err != nil {
		return err
	}
	s.sort()
	out := bufio.NewWriterSize(s.file, 1<<20)
	size := int64(0)
	if len(s.ends) > 0 {
		size = s.ends[len(s.ends)-1]
	}
	head := make([]byte, 0, 2*binary.MaxVarintLen64)
	for _, r := range s.waits {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], r.number), uint64(r.to-r.from))
		_, _ = out.Write(head) // a Writer keeps its first error
		_, _ = out.Write(s.bytes[r.from:r.to])
		size += int64(len(head) + r.to - r.from)
	}
	if err := out.Flush(); err != nil {
		return namelessError(s.file, err)
	}
	s.ends = append(s.ends, size)
	s.bytes, s.waits = s.bytes[:0], s.waits[:0]
	return nil
}

func (s *Sorter) open() (err error) {
	if s.file == nil {
		s.file, err = s.db.Nameless()
	}
	return err
}

// Nameless creates a file for data as large as the content, next to the data file or, if
// this process may not write there, in the system's folder for temporary files. It is
// removed when it is closed, at the latest with the process. The error is a *WriteError.
func (db *DB) Nameless() (*os.File, error) {
	f, err := nameless(filepath.Dir(db.path), spoolPattern)
	if err != nil {
		f, err = nameless(os.TempDir(), spoolPattern)
	}
	return f, err
}

// spoolPattern is the name of a file before it loses its name.
const spoolPattern = ".quire.db.spool-*"

// nameless creates a file in a folder and removes its name, at the latest when the file is
// closed.
func nameless(folder, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(folder, pattern)
	switch {
	case err != nil:
	case deleteOnClose == 0:
		_ = os.Remove(f.Name())
	default: // the system cannot remove an open file
		if err = f.Close(); err == nil {
			f, err = os.OpenFile(f.Name(), os.O_RDWR|deleteOnClose, 0o600)
		}
	}
	if err != nil {
		return nil, &WriteError{Path: folder, Err: err}
	}
	return f, nil
}

// namelessError is an error about such a file, which nobody can find: it names the folder.
func namelessError(f *os.File, err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	}
	return &WriteError{Path: filepath.Dir(f.Name()), Err: fmt.Errorf("a temporary file: %w", err)}
}

// All calls fn for every record, in order, until fn fails. Records are valid until fn
// returns. Errors are fn's, and *WriteError if the file cannot be written or read.
func (s *Sorter) All(fn func(number uint64, record []byte) error) error {
	if s.file == nil {
		s.sort()
		for _, r := range s.waits {
			if err := fn(r.number, s.bytes[r.from:r.to]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	return s.merge(fn)
}

func (s *Sorter) merge(fn func(number uint64, record []byte) error) error {
	var runs sortedRuns
	begin := int64(0)
	ahead := min(max(sorterAhead/len(s.ends), 4<<10), 256<<10)
	for i, end := range s.ends {
		r := &sortedRun{place: i, in: bufio.NewReaderSize(io.NewSectionReader(s.file, begin, end-begin), ahead)}
		if begin = end; r.advance() {
			runs = append(runs, r)
		} else if r.err != nil {
			return namelessError(s.file, r.err)
		}
	}
	heap.Init(&runs)
	for len(runs) > 0 {
		r := runs[0]
		if err := fn(r.number, r.record); err != nil {
			return err
		}
		if r.advance() {
			heap.Fix(&runs, 0)
		} else if heap.Pop(&runs); r.err != nil {
			return namelessError(s.file, r.err)
		}
	}
	return nil
}

// sortedRun is a run that is being read.
type sortedRun struct {
	place  int
	in     *bufio.Reader
	number uint64
	record []byte
	err    error
}

// advance reads the next record, and reports whether there is one.
func (r *sortedRun) advance() bool {
	if r.number, r.err = binary.ReadUvarint(r.in); r.err != nil {
		if errors.Is(r.err, io.EOF) {
			r.err = nil
		}
		return false
	}
	n, err := binary.ReadUvarint(r.in)
	if err == nil {
		r.record = slices.Grow(r.record[:0], int(n))[:n]
		_, err = io.ReadFull(r.in, r.record)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	r.err = err
	return err == nil
}

// sortedRuns has the run with the first record on top.
type sortedRuns []*sortedRun

func (h sortedRuns) Len() int      { return len(h) }
func (h sortedRuns) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h sortedRuns) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].number, h[j].number), cmp.Compare(h[i].place, h[j].place)) < 0
}
func (h *sortedRuns) Push(r any) { *h = append(*h, r.(*sortedRun)) }
func (h *sortedRuns) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}
