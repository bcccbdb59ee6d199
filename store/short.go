package store

import (
	"bytes"
	"errors"

	"go.etcd.io/bbolt"
)

// Most published versions have the fields of their draft. These are stored once, with the
// draft: the published version is short, it ends before its fields. Its checksum still
// covers them, so it accepts no others.
//
// Only this file knows short versions. A reader, or a journal, gets every version in its
// whole form. The stored form depends only on the content of both versions, except that a
// program that does not know short ones may have left whole ones.

// shortBy is the difference between the format of a short version and that of the whole
// one.
const shortBy = 2

var errNoDraft = errors.New("the draft, which has its fields, is not there")

func isShort(value []byte) bool {
	return len(value) >= momentsEnd && (value[0] == plainFormat+shortBy || value[0] == stampedFormat+shortBy)
}

// shorten returns the stored form of a published version next to a draft, which may be nil.
func shorten(published, draft []byte) []byte {
	fields := fieldsIn(published)
	if len(fields) == 0 || isShort(published) || !bytes.Equal(fields, fieldsIn(draft)) {
		return published
	}
	short := bytes.Clone(published[:len(published)-len(fields)])
	short[0] += shortBy
	return short
}

// lengthen returns the whole form of a version that is stored next to a draft.
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

// getVersion returns the whole form of the version under key, or nil. It is valid until the
// end of the transaction.
func getVersion(b *bbolt.Bucket, key []byte) ([]byte, error) {
	value := b.Get(key)
	if !isShort(value) {
		return value, nil
	}
	return lengthen(value, b.Get(sibling(key, draftKey)))
}

// putVersion stores a version, given in whole form, or deletes it if value is nil. The
// content of a published version next to it does not change.
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

// sibling returns the key of the version of a document in another status.
func sibling(key []byte, status byte) []byte {
	other := bytes.Clone(key)
	other[len(other)-1] = status
	return other
}
