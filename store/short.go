package store

import (
	"bytes"
	"errors"

	"go.etcd.io/bbolt"
)

// Most published versions have the fields of their draft. These are stored once, with
// the draft: the published version is short, it ends before its fields. Its checksum
// covers them all the same, so it takes no others for its own.
//
// That is between the bucket and this file. Whoever reads a version gets it whole, and so
// does a journal. Which form is stored follows from what both versions hold; only a
// program that knows no short ones has left whole ones where these could be.

// shortBy is what the format of a short version has more than that of the whole one.
const shortBy = 2

var errNoDraft = errors.New("the draft, which has its fields, is not there")

func isShort(value []byte) bool {
	return len(value) >= momentsEnd && (value[0] == plainFormat+shortBy || value[0] == stampedFormat+shortBy)
}

// shorten returns a published version as it is stored beside a draft, which may be nil.
func shorten(published, draft []byte) []byte {
	fields := fieldsIn(published)
	if len(fields) == 0 || isShort(published) || !bytes.Equal(fields, fieldsIn(draft)) {
		return published
	}
	short := bytes.Clone(published[:len(published)-len(fields)])
	short[0] += shortBy
	return short
}

// lengthen returns the whole version of one that is stored beside a draft.
func lengthen(value, draft []byte) ([]byte, error) {
	if !isShort(value) {
		return value, nil
	}
	fields := fieldsIn(draft)
	if len(fields) == 0 {
		return nil, errNoDraft
	}
	whole := append(append(make([]byte, 0, len(value)+len(fields)), value...), fields...)
	whole[0] -= shortBy
	return whole, nil
}

// getVersion returns the whole of the version under key, nil when there is none. It is
// valid as long as the transaction.
func getVersion(b *bbolt.Bucket, key []byte) ([]byte, error) {
	value := b.Get(key)
	if !isShort(value) {
		return value, nil
	}
	return lengthen(value, b.Get(sibling(key, draftKey)))
}

// putVersion stores the whole of a version, or deletes it when value is nil. A published
// version beside it stays what it is.
func putVersion(b *bbolt.Bucket, key, value []byte) error {
	if key[len(key)-1] != draftKey {
		return putOrDelete(b, key, shorten(value, b.Get(sibling(key, draftKey))))
	}
	beside := sibling(key, publishedKey)
	stored := b.Get(beside)
	published, err := lengthen(stored, b.Get(key))
	if err == nil {
		err = putOrDelete(b, key, value)
	}
	if err != nil || published == nil {
		return err
	}
	if next := shorten(published, value); len(next) != len(stored) {
		return b.Put(beside, next)
	}
	return nil
}

func putOrDelete(b *bbolt.Bucket, key, value []byte) error {
	if value == nil {
		return b.Delete(key)
	}
	return b.Put(key, value)
}

// sibling is the key of the version of a document in another status.
func sibling(key []byte, status byte) []byte {
	other := bytes.Clone(key)
	other[len(other)-1] = status
	return other
}
