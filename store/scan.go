package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// scanRun is how many entries are decoded at a time; lendRun is how many fit the
// processor's cache until the caller has used them.
const (
	scanRun = 256
	lendRun = 64
)

// Scan calls fn for every entry of a type: locale by locale, in each ordered by documentId,
// the draft before the published version. If both versions have the same stored fields they
// share one Fields slice, so what the caller derives from it can be reused for the second.
// An error of fn ends the scan and is returned; damage is a *CorruptError.
//
// fn runs on the caller's goroutine. In a View, the next entries are decoded on another one
// meanwhile. In an Update, fn may apply changes; it is undefined whether the same scan
// shows changes to entries that it has not reached.
func (tx *Tx) Scan(uid string, fn func(*Entry) error) error { return tx.scan(uid, nil, fn) }

// Lend is Scan for a caller that keeps nothing: the memory of an entry, and of everything
// that it refers to, is reused after fn has returned for it and for the published version
// that may come next. That takes less than half the time.
func (tx *Tx) Lend(uid string, fn func(*Entry) error) error { return tx.scan(uid, new(loans), fn) }

func (tx *Tx) scan(uid string, loans *loans, fn func(*Entry) error) error {
	readers, err := tx.entryReaders(uid)
	if err != nil {
		return err
	}
	for _, r := range readers {
		r.loans = loans
		if err := tx.scanLocale(r, fn); err != nil {
			return err
		}
	}
	return nil
}

// loans is the memory for what a scan decodes. A run gets the memory of the fourth one
// before it: of those between, at most two wait for fn and it is working on one, because a
// finished run also waits until there is space for it.
type loans struct {
	turns [4]loan
	next  int
}

const waitingRuns = len(loans{}.turns) - 2

func (l *loans) take() *loan {
	one := &l.turns[l.next%len(l.turns)]
	l.next++
	one.reset()
	return one
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
				bucket:  entryBucketAt(uid, string(name)),
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
		b := r.decodeSome()
		if err := b.each(fn); err != nil || b.last {
			return err
		}
		if !tx.writable {
			return scanAhead(r, fn)
		}
	}
}

// scanAhead scans the rest with a goroutine that decodes while fn works. The goroutine has
// ended when scanAhead returns, even after a panic.
func scanAhead(r *entryReader, fn func(*Entry) error) error {
	runs := make(chan decodedRun, waitingRuns)
	stop := make(chan struct{})
	defer func() {
		close(stop)
		for range runs {
		}
	}()
	go r.send(runs, stop)
	for b := range runs {
		if err := b.each(fn); err != nil {
			return err
		}
	}
	return nil
}

// decodedRun is some entries and the error that came after them.
type decodedRun struct {
	entries []*Entry
	err     error
	last    bool
}

func (b decodedRun) each(fn func(*Entry) error) error {
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
	bucket   entryBucket
	cursor   *bbolt.Cursor
	decoder  *decoder
	loans    *loans // nil if entries may be kept
	position []byte // the last key that was read
	mapped   int    // entries that were read since memory was released
}

// send passes on the rest, until stop is closed.
func (r *entryReader) send(runs chan<- decodedRun, stop <-chan struct{}) {
	defer close(runs)
	for {
		b := r.decodeSome()
		select {
		case runs <- b:
		case <-stop:
			return
		}
		if b.last {
			return
		}
	}
}

// decodeSome decodes the next entries. It places the cursor again each time: writes since
// the last run may have moved its target.
func (r *entryReader) decodeSome() decodedRun {
	run := scanRun
	if r.loans != nil {
		run = lendRun
		r.decoder.loan = r.loans.take()
		r.decoder.forget() // its last draft is in an earlier one
	}
	b := decodedRun{entries: make([]*Entry, 0, run+1), last: true} // a draft and its published version stay together
	b.err = r.tx.guard(r.bucket.String(), func() error {
		key, value, err := r.seek()
		if err != nil {
			return r.tx.corrupt(r.bucket.String(), r.bucket.readableKey(key), err)
		}
		for ; key != nil; key, value = r.cursor.Next() {
			if len(b.entries) >= run && !sameDocument(key, r.position) {
				b.last = false
				return nil
			}
			e, err := r.decoder.entry(r.bucket, key, value)
			if err != nil {
				return r.tx.corrupt(r.bucket.String(), r.bucket.readableKey(key), err)
			}
			b.entries = append(b.entries, e)
			r.position = append(r.position[:0], key...)
		}
		return nil
	})
	if r.mapped += len(b.entries); r.mapped >= mostMapped && b.err == nil {
		r.mapped, b.err = 0, forgetPages(r.tx.bolt)
	}
	return b
}

// mostMapped is the number of entries after which a scan releases the memory in which it
// has read the file, so that not all of it is in memory at once.
const mostMapped = 1 << 16

// seek places the cursor after what was read last. In an Update the draft may have changed
// since it was read, so a short version does not use it.
func (r *entryReader) seek() (key, value []byte, err error) {
	if r.position == nil {
		key, value = r.cursor.First()
		return key, value, nil
	}
	key, value = r.cursor.Seek(r.position)
	if bytes.Equal(key, r.position) {
		key, value = r.cursor.Next()
	}
	if r.tx.writable && isShort(value) {
		value, err = getVersion(r.cursor.Bucket(), key)
	}
	return key, value, err
}

// Count is the number of entries of a type in each status.
type Count struct{ Draft, Published int }

// Count counts the entries of a type by their keys; it decodes none. It ignores locales for
// which leftOut returns true.
func (tx *Tx) Count(uid string, leftOut func(locale string) bool) (n Count, err error) {
	readers, err := tx.entryReaders(uid)
	if err != nil {
		return n, err
	}
	err = tx.guard(contentBucket+"/"+uid, func() error {
		for _, r := range readers {
			if leftOut(r.bucket.locale) {
				continue
			}
			if err := r.count(&n); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// count adds the entries of a bucket to n.
func (r *entryReader) count(n *Count) error {
	for key, _ := r.cursor.First(); key != nil; key, _ = r.cursor.Next() {
		if r.mapped++; r.mapped%mostMapped == 0 {
			if err := forgetPages(r.tx.bolt); err != nil {
				return err
			}
		}
		_, status, err := splitKey(key)
		if err != nil {
			return r.tx.corrupt(r.bucket.String(), r.bucket.readableKey(key), err)
		}
		if status == Draft {
			n.Draft++
		} else {
			n.Published++
		}
	}
	return nil
}
