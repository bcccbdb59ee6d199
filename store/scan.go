package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// scanBatch is how many entries are decoded at a time.
const scanBatch = 256

// Scan calls fn for every entry of a type: locale by locale, in each ordered by
// documentId, the draft before the published version. When both versions are
// stored with the same fields they share one Fields slice, so what the caller
// derives from it is worth keeping for the second. fn's error ends the scan and
// is returned; damage is a *CorruptError.
//
// fn runs on the caller's goroutine. In a View the entries to come are decoded
// on another one meanwhile. In an Update fn may apply changes; whether those to
// entries that it has not seen yet show in the same scan is left open.
func (tx *Tx) Scan(uid string, fn func(*Entry) error) error {
	readers, err := tx.entryReaders(uid)
	if err != nil {
		return err
	}
	for _, r := range readers {
		if err := tx.scanLocale(r, fn); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) entryReaders(uid string) (readers []*entryReader, err error) {
	if uid == "" {
		return nil, nil
	}
	err = tx.guard(contentBucket+"/"+uid, func() error {
		locales := tx.bucket(contentBucket, uid)
		if locales == nil {
			return nil
		}
		dec := newDecoder()
		return locales.ForEachBucket(func(name []byte) error {
			readers = append(readers, &entryReader{
				tx:      tx,
				place:   placeAt(uid, string(name)),
				cursor:  locales.Bucket(name).Cursor(),
				decoder: dec,
			})
			return nil
		})
	})
	return readers, err
}

func (tx *Tx) scanLocale(r *entryReader, fn func(*Entry) error) error {
	for {
		b := r.next()
		if err := b.each(fn); err != nil || b.last {
			return err
		}
		if !tx.writable {
			return scanAhead(r, fn)
		}
	}
}

// scanAhead scans what is left with a goroutine that decodes while fn works.
// The goroutine has ended when scanAhead returns, however it returns.
func scanAhead(r *entryReader, fn func(*Entry) error) error {
	batches := make(chan batch, 2)
	stop := make(chan struct{})
	defer func() {
		close(stop)
		for range batches {
		}
	}()
	go r.send(batches, stop)
	for b := range batches {
		if err := b.each(fn); err != nil {
			return err
		}
	}
	return nil
}

// batch is a run of entries and the error that came after them.
type batch struct {
	entries []*Entry
	err     error
	last    bool
}

func (b batch) each(fn func(*Entry) error) error {
	for _, e := range b.entries {
		if err := fn(e); err != nil {
			return err
		}
	}
	return b.err
}

// entryReader reads the entries of one type and locale, in order.
type entryReader struct {
	tx       *Tx
	place    place
	cursor   *bbolt.Cursor
	decoder  *decoder
	position []byte // the key that was read last
}

// send passes on all that is left, until stop is closed.
func (r *entryReader) send(batches chan<- batch, stop <-chan struct{}) {
	defer close(batches)
	for {
		b := r.next()
		select {
		case batches <- b:
		case <-stop:
			return
		}
		if b.last {
			return
		}
	}
}

// next decodes the next entries. The cursor is placed anew each time: writes
// since the last batch may have moved what it pointed at.
func (r *entryReader) next() batch {
	b := batch{entries: make([]*Entry, 0, scanBatch), last: true}
	b.err = r.tx.guard(r.place.String(), func() error {
		key, value := r.seek()
		for ; key != nil; key, value = r.cursor.Next() {
			if len(b.entries) == scanBatch {
				b.last = false
				return nil
			}
			e, err := r.decoder.entry(r.place, key, value)
			if err != nil {
				return r.tx.corrupt(r.place.String(), r.place.readableKey(key), err)
			}
			b.entries = append(b.entries, e)
			r.position = append(r.position[:0], key...)
		}
		return nil
	})
	return b
}

func (r *entryReader) seek() (key, value []byte) {
	if r.position == nil {
		return r.cursor.First()
	}
	key, value = r.cursor.Seek(r.position)
	if bytes.Equal(key, r.position) {
		key, value = r.cursor.Next()
	}
	return key, value
}
