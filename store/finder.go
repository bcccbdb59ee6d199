package store

import (
	"encoding/binary"
	"strings"

	"go.etcd.io/bbolt"
)

// Finder finds entries by their names for a caller that requests a great many of them, all
// over the file, while it scans. It remembers what it found last, in a few MiB, and
// releases the memory in which it has read the file, whatever its size. Only one goroutine
// may use it, within its View.
type Finder struct {
	tx      *Tx
	buckets map[Name]*foundBucket // by type and locale
	recent  map[Name]foundID
	reads   int // since memory was released
}

type foundBucket struct {
	*bbolt.Bucket // nil if there is none
	name          string
}

type foundID struct {
	id    uint64
	found bool
}

const (
	mostRecent  = 1 << 14 // names that a Finder remembers
	readsMapped = 1 << 10 // reads after which it releases memory, each of up to 64 KiB
)

// Finder returns a Finder of a View.
func (tx *Tx) Finder() *Finder {
	return &Finder{tx: tx, buckets: map[Name]*foundBucket{}, recent: make(map[Name]foundID, mostRecent)}
}

// ID returns the numeric id of an entry, and whether it exists. It does not decode it. The
// names may be lent.
func (f *Finder) ID(uid string, k Key) (id uint64, found bool) {
	one, known := f.recent[Name{uid, k}]
	if !known {
		one = f.read(uid, k)
		if len(f.recent) >= mostRecent {
			clear(f.recent)
		}
		f.recent[Name{strings.Clone(uid), Key{strings.Clone(k.DocumentID), strings.Clone(k.Locale), k.Status}}] = one
	}
	return one.id, one.found
}

func (f *Finder) read(uid string, k Key) (one foundID) {
	if checkKey(uid, k) != nil {
		return one
	}
	b := f.bucket(uid, k.Locale)
	if b.Bucket == nil {
		return one
	}
	f.tx.guardOrDamage(b.name, func() error {
		if value := b.Get(storedKey(k)); len(value) >= momentsEnd {
			one = foundID{binary.BigEndian.Uint64(value[idAt:]), true}
		}
		return f.releasePages()
	})
	return one
}

// Entry is Tx.Entry.
func (f *Finder) Entry(uid string, k Key) (*Entry, error) {
	e, err := f.tx.Entry(uid, k)
	if err == nil {
		err = f.releasePages()
	}
	return e, err
}

func (f *Finder) bucket(uid, locale string) *foundBucket {
	b := f.buckets[Name{Type: uid, Key: Key{Locale: locale}}]
	if b == nil {
		p := entryBucketOf(strings.Clone(uid), strings.Clone(locale))
		b = &foundBucket{name: p.String()}
		f.tx.guardOrDamage(b.name, func() error {
			b.Bucket = f.tx.bucket(p.path()...)
			return nil
		})
		f.buckets[Name{Type: p.uid, Key: Key{Locale: p.locale}}] = b
	}
	return b
}

// releasePages releases memory after a number of reads.
func (f *Finder) releasePages() error {
	if f.reads++; f.reads < readsMapped {
		return nil
	}
	f.reads = 0
	return forgetPages(f.tx.bolt)
}
