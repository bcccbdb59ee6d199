package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"quire/store"
)

// Version is one state of an entry, without its fields.
type Version struct {
	Key   store.Key
	ID    uint64      // of the entry
	Stamp store.Stamp // of the write that made it; its Version is the revision

	// Since is the first revision at which the entry was like this. Writes that changed
	// other entries of the document may have moved the revision since then.
	Since uint64

	// Milliseconds since 1970, UTC.
	At                                int64 // when it was made
	CreatedAt, UpdatedAt, PublishedAt int64

	// End is the write that replaced or removed it; zero while it is current.
	End End
}

// End is a write that replaced a version or removed its entry.
type End struct {
	Version uint64       // the number of the write
	At      int64        // milliseconds since 1970
	Removed bool         // there was no entry after it
	Action  store.Action // what it did
	By      store.Actor
}

// Revision names the version among those of its entry.
func (v *Version) Revision() uint64 { return v.Stamp.Version }

// Current reports whether the version has not been replaced.
func (v *Version) Current() bool { return v.End == End{} }

// separator ends the parts of a key. No documentId and no locale has it.
const separator = 0

// keyTail is what follows them: the version, and the status, so that what one write
// replaces is kept side by side.
const keyTail = 8 + 1

// documentPrefix begins the keys of a document.
func documentPrefix(documentID string) []byte { return append([]byte(documentID), separator) }

// localePrefix begins the keys of a document in one locale.
func localePrefix(k store.Key) []byte {
	return append(append(documentPrefix(k.DocumentID), k.Locale...), separator)
}

func versionKey(k store.Key, version uint64) []byte {
	return append(binary.BigEndian.AppendUint64(localePrefix(k), version), byte(k.Status))
}

// splitKey is the inverse of versionKey.
func splitKey(key []byte) (k store.Key, version uint64, err error) {
	id, rest, ok := bytes.Cut(key, []byte{separator})
	locale, tail, both := bytes.Cut(rest, []byte{separator})
	if !ok || !both || len(tail) != keyTail {
		return k, 0, errors.New("its key is not that of a version")
	}
	k = store.Key{DocumentID: string(id), Locale: string(locale), Status: store.Status(tail[keyTail-1])}
	if k.Status != store.Draft && k.Status != store.Published {
		return k, 0, fmt.Errorf("its key has the status %d", byte(k.Status))
	}
	return k, binary.BigEndian.Uint64(tail), nil
}
