package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// FileFormat is the version of the layout of the data file that this program writes. A file
// of a newer version is refused; one of an older version is too, until Migrate has
// converted it.
const FileFormat = 1

// The buckets at the top of the file; doc.go shows their content.
const (
	contentBucket  = "content"
	sequenceBucket = "sequence"
	recordsBucket  = "records"
	replacedBucket = "replaced"
	removedBucket  = "removed"
	metaBucket     = "meta"
)

// The keys of the meta bucket. Numbers are stored as 8 bytes, the highest first.
const (
	formatKey   = "format"
	revisionKey = "revision"
	createdKey  = "created"
	lineageKey  = "lineage"
	coveredKey  = "covered" // the lineage up to which the bucket "changed" is complete
	freshKey    = "fresh"   // the lineage up to which the log is complete
	loggedKey   = "logged"  // the same, of a program that knows no fresh records
)

// hasValues reports whether the bucket of that path holds values. Nothing is known about
// buckets of later versions.
func hasValues(path []string) bool {
	if len(path) == 0 {
		return false
	}
	switch path[0] {
	case contentBucket:
		return len(path) == 3
	case recordsBucket:
		return len(path) == 2
	case sequenceBucket, replacedBucket, removedBucket, freshBucket, metaBucket:
		return len(path) == 1
	}
	return true
}

// notLocalized is the bucket of entries that have no locale.
const notLocalized = "-"

// The last byte of an entry's key. Both are lower than any byte in a documentId, so the
// versions of a document are always neighbours, even if one documentId is the beginning of
// another.
const (
	draftKey     = 1
	publishedKey = 2
)

// maxName limits documentIds, locales and uids: a bbolt key must fit a page comfortably.
const maxName = 255

// entryBucket is the bucket of a type's entries in one locale.
type entryBucket struct {
	uid, locale string
	sum         uint32 // of both, with which the checksum of an entry begins
}

func entryBucketOf(uid, locale string) entryBucket {
	return entryBucket{uid, locale, crc32.Checksum([]byte(uid+"/"+locale), castagnoli)}
}

// entryBucketAt returns the bucket with that name in content/uid.
func entryBucketAt(uid, bucket string) entryBucket {
	if bucket == notLocalized {
		bucket = ""
	}
	return entryBucketOf(uid, bucket)
}

// path returns the names of the buckets from the top of the file on.
func (p entryBucket) path() []string {
	if p.locale == "" {
		return []string{contentBucket, p.uid, notLocalized}
	}
	return []string{contentBucket, p.uid, p.locale}
}

// String returns the path in the form of errors.
func (p entryBucket) String() string { return strings.Join(p.path(), "/") }

// storedKey returns the key of an entry within its locale's bucket.
func storedKey(k Key) []byte {
	status := byte(draftKey)
	if k.Status == Published {
		status = publishedKey
	}
	return append(append(make([]byte, 0, len(k.DocumentID)+1), k.DocumentID...), status)
}

// splitKey is the inverse of storedKey. The documentId is a part of key.
func splitKey(key []byte) (documentID []byte, s Status, err error) {
	last := len(key) - 1
	if last < 1 {
		return nil, 0, errKey
	}
	switch key[last] {
	case draftKey:
		return key[:last], Draft, nil
	case publishedKey:
		return key[:last], Published, nil
	}
	return nil, 0, errKey
}

// readableKey returns a stored key in the form of errors.
func (p entryBucket) readableKey(key []byte) string {
	id, status, err := splitKey(key)
	if err != nil {
		return string(key)
	}
	return Key{string(id), p.locale, status}.String()
}

// checkKey refuses names that could be confused in the file.
func checkKey(uid string, k Key) error {
	switch {
	case !storableName(uid):
		return fmt.Errorf("the type %q is not a uid", uid)
	case !storableName(k.DocumentID):
		return fmt.Errorf("the documentId %q is empty, longer than %d bytes or has control characters", k.DocumentID, maxName)
	case k.Locale != "" && !storableName(k.Locale) || k.Locale == notLocalized:
		return fmt.Errorf("the locale %q is not a locale", k.Locale)
	case k.Status != Draft && k.Status != Published:
		return fmt.Errorf("the status is %d, neither draft nor published", byte(k.Status))
	}
	return nil
}

func storableName(s string) bool {
	isControl := func(r rune) bool { return r < ' ' }
	return s != "" && len(s) <= maxName && strings.IndexFunc(s, isControl) < 0
}

func storedNumber(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

var errNumber = errors.New("it is not an 8 byte number")

// parseNumber reads a stored number; an absent one is 0.
func parseNumber(stored []byte) (uint64, error) {
	switch len(stored) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(stored), nil
	}
	return 0, errNumber
}
