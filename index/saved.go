package index

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"quire/store"
)

// Saved indexes are those of large tables in a file, which a start reads in place of building
// them. The file is derived from the content and never trusted: an index is read only for a
// table with the same last change, by the same program with the same site, and only if its
// checksum is right. Otherwise it is built.
//
//	magic       8 bytes, with the version of the format
//	sections    one for each index, see saved_kinds.go
//	head        JSON: the program, the site, and what each section has
//	length      4 bytes, of the head
//	checksum    4 bytes, of the head
//	magic
//
// Rows are those of a start: the entries of a table by their ids, without gaps. Documents are
// named by their documentIds, because each process numbers them anew.

const (
	savedMagic   = "quirIdx1"
	savedTrailer = 8 + len(savedMagic)

	// mostSavedHead is the maximum size of a head, in bytes.
	mostSavedHead = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SavedIndexes are indexes in a file.
type SavedIndexes struct {
	file    SavedFile // nil for what this process has written
	head    savedHead
	damaged func(error)
	read    atomic.Int64
}

// SavedFile is where indexes are read. Several goroutines may read at the same time.
type SavedFile interface {
	io.ReaderAt
	io.Closer
}

type savedHead struct {
	Program  string
	Site     []byte // its fingerprint
	Sections []*savedSection
}

// savedSection is one index in the file.
type savedSection struct {
	Use
	Together []string // words that are not divided, in an index of terms
	Changed  store.CommitID
	Rows     int
	From     int64
	Size     int64
	Sum      uint32

	in      *SavedIndexes
	damaged atomic.Bool
}

// identity names the content of a section.
func (d *savedSection) identity() string {
	return fmt.Sprintf("%s %q %x %x %d", d.name(), d.Together, d.Changed.Lineage, d.Changed.Revision, d.Rows)
}

// SavedError reports why a file of indexes is not used. The indexes are built.
type SavedError struct{ Reason string }

func (e *SavedError) Error() string { return e.Reason }

// OpenSaved reads what Save has written into a file of that size. Close closes the file. If
// the error is a *SavedError, the file cannot be used. damaged is called with each index that
// turns out to be damaged when it is read.
func OpenSaved(file SavedFile, size int64, program string, damaged func(error)) (*SavedIndexes, error) {
	f := &SavedIndexes{file: file, damaged: damaged}
	text, err := readSavedHead(file, size)
	if err == nil && json.Unmarshal(text, &f.head) != nil {
		err = &SavedError{"its head cannot be read"}
	}
	if err != nil {
		return nil, err
	}
	if f.head.Program != program || program == "" {
		return nil, &SavedError{"it is from another version of the program"}
	}
	last := int64(len(savedMagic))
	for _, d := range f.head.Sections {
		if d == nil || d.From < last || d.Size < 0 || d.Size > size-d.From || d.Rows < 0 {
			return nil, &SavedError{"its head is wrong"}
		}
		d.in, last = f, d.From+d.Size
	}
	return f, nil
}

// readSavedHead returns the head, whose checksum is right.
func readSavedHead(file io.ReaderAt, size int64) ([]byte, error) {
	var trailer [savedTrailer]byte
	if size < int64(len(savedMagic)+savedTrailer) {
		return nil, &SavedError{"it is cut off"}
	}
	if err := readAll(file, trailer[:], size-int64(len(trailer))); err != nil {
		return nil, err
	}
	if string(trailer[8:]) != savedMagic {
		return nil, &SavedError{"it is cut off, or of another format"}
	}
	n := int64(binary.BigEndian.Uint32(trailer[:]))
	if n > min(mostSavedHead, size-int64(len(savedMagic)+savedTrailer)) {
		return nil, &SavedError{"its head is too long"}
	}
	text := make([]byte, n)
	if err := readAll(file, text, size-int64(len(trailer))-n); err != nil {
		return nil, err
	}
	if crc32.Checksum(text, castagnoli) != binary.BigEndian.Uint32(trailer[4:]) {
		return nil, &SavedError{"the checksum of its head is wrong"}
	}
	return text, nil
}

// readAll fills b. A file that is too short is an io.ErrUnexpectedEOF.
func readAll(file io.ReaderAt, b []byte, at int64) error {
	n, err := file.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Close closes the file. Indexes that have not been read are built when they are needed.
func (f *SavedIndexes) Close() error {
	if f == nil || f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Read returns how many indexes have been read.
func (f *SavedIndexes) Read() int {
	if f == nil {
		return 0
	}
	return int(f.read.Load())
}

// Adopt makes an index read from the file what fits its content, and returns how many indexes
// do. x must have been built and not been shared or changed since.
func (f *SavedIndexes) Adopt(x *Index) (n int) {
	s := x.Snapshot()
	if s.part != nil || !slices.Equal(f.head.Site, s.site.Fingerprint[:]) {
		return 0
	}
	for _, d := range f.head.Sections {
		tb, path, ok := s.placeOf(d.Use)
		if !ok || d.Changed != tb.written || d.Rows == 0 || d.Rows != tb.Len() || tb.Len() != int(tb.Size()) {
			continue
		}
		if tb.saved == nil {
			tb.saved = map[indexKey]*savedSection{}
		}
		tb.saved[keyOf(d.Use, path, d.Together)] = d
		n++
	}
	return n
}

// load reads an index of a table that has not changed since the start. It returns nil if the
// file has none, or a wrong one, and if there is no memory for it.
func (s *Snapshot) load(tb *Table, key indexKey, b *indexBuild) pathIndex {
	d := tb.saved[key]
	if d == nil {
		return nil
	}
	one, err := s.readSaved(tb, d, b)
	if err == nil {
		d.in.read.Add(1)
		return one
	}
	if !b.failed {
		b.giveBack()
		if !errors.Is(err, fs.ErrClosed) && !d.damaged.Swap(true) {
			d.in.damaged(fmt.Errorf("%s: %w", d.name(), err))
		}
	}
	return nil
}

// savable is an index that can be saved.
type savable struct {
	of  *savedSection
	tb  *Table
	one builtIndex
}

// savable returns the indexes that are worth saving: those of tables with at least so many
// entries that are in use, the most used first. Those of tables as a whole are built fast.
func (s *Snapshot) savable(least int) (all []savable) {
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			if tb.Len() < max(least, 1) {
				continue
			}
			for key, one := range *tb.indexes.Load() {
				if _, ok := one.pathIndex.(savedKind); !ok || one.dropped.Load() || one.uses.Load() == 0 {
					continue
				}
				d := &savedSection{Use: tb.use(key, one), Changed: tb.written, Rows: tb.Len()}
				if terms, ok := one.pathIndex.(*Terms); ok {
					d.Together = terms.whole
				}
				all = append(all, savable{d, tb, one})
			}
		}
	}
	slices.SortFunc(all, func(a, b savable) int {
		return cmp.Or(cmp.Compare(b.of.Count, a.of.Count), strings.Compare(a.of.identity(), b.of.identity()))
	})
	return all
}

// Has reports whether the file has all indexes of a snapshot that are worth saving; nil has
// none.
func (f *SavedIndexes) Has(s *Snapshot, least int) bool {
	wanted := s.savable(least)
	if f == nil || !slices.Equal(f.head.Site, s.site.Fingerprint[:]) {
		return len(wanted) == 0
	}
	has := map[string]bool{}
	for _, d := range f.head.Sections {
		has[d.identity()] = !d.damaged.Load()
	}
	return !slices.ContainsFunc(wanted, func(one savable) bool { return !has[one.of.identity()] })
}

// Save writes the indexes that are worth saving, for the same program to read.
func (s *Snapshot) Save(to io.Writer, program string, least int) (*SavedIndexes, error) {
	f := &SavedIndexes{head: savedHead{Program: program, Site: s.site.Fingerprint[:]}}
	w := &sectionWriter{to: to, s: s}
	w.bytes([]byte(savedMagic))
	numberings := map[*Table]*renumbering{}
	for _, one := range s.savable(least) {
		n, ok := numberings[one.tb]
		if !ok && one.tb.Len() != int(one.tb.Size()) {
			n = newRenumbering(one.tb, nil)
		}
		numberings[one.tb], w.renumbering = n, n
		w.begin()
		one.one.pathIndex.(savedKind).save(w)
		one.of.From, one.of.Size, one.of.Sum = w.end()
		f.head.Sections = append(f.head.Sections, one.of)
	}
	head, err := json.Marshal(f.head)
	if err != nil {
		return nil, err
	}
	if len(head) > mostSavedHead {
		return nil, &SavedError{"there are too many indexes"}
	}
	w.bytes(head)
	w.bytes(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(head))), crc32.Checksum(head, castagnoli)))
	w.bytes([]byte(savedMagic))
	w.flush()
	return f, w.err
}

// placeOf returns the table and the path of a use; false if the site does not have them.
func (s *Snapshot) placeOf(u Use) (*Table, Path, bool) {
	t := s.site.Type(u.Type)
	if t == nil || t.IsComponent() || u.Draft && !t.DraftAndPublish {
		return nil, Path{}, false
	}
	status := store.Published
	if u.Draft {
		status = store.Draft
	}
	path, ok := s.pathOf(t, u.Path)
	return s.Table(t, status), path, ok
}

// keyOf returns the key of an index in use.
func keyOf(u Use, path Path, together []string) indexKey {
	key := indexKey{kind: indexKind(slices.Index(kindNames[:], u.Kind)), path: path.key}
	if key.kind == termsKind {
		key.together = togetherKey(together)
	}
	return key
}

// use describes an index of the table by names.
func (tb *Table) use(key indexKey, one builtIndex) Use {
	return Use{Type: tb.Type.UID, Draft: tb.Status == store.Draft, Kind: kindNames[key.kind], Path: namesOf(one.pathIndex), Count: one.uses.Load()}
}
