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

	// Since is the first revision at which this was the state of the entry. Writes that
	// changed other entries of the document may have moved the revision since then.
	Since uint64

	// Milliseconds since 1970, UTC.
	At                                int64 // when it was made
	CreatedAt, UpdatedAt, PublishedAt int64

	// End is the write that replaced or removed it; zero for the current version.
	End End
}

// End is a write that replaced a version or removed its entry.
type End struct {
	Version uint64       // the number of the write
	At      int64        // milliseconds since 1970
	Removed bool         // the entry was removed
	Action  store.Action // what it did
	By      store.Actor
}

// Revision returns the number that identifies the version among those of its entry.
func (v *Version) Revision() uint64 { return v.Stamp.Version }

// Current reports whether the version has not been replaced.
func (v *Version) Current() bool { return v.End == End{} }

// VersionKey is where one former version is stored.
type VersionKey struct {
	in  store.History
	key []byte
}

// IsZero reports whether it is not a place: the beginning or the end of a walk.
func (p VersionKey) IsZero() bool { return p.in == "" }

// separator ends the parts of a name except the last. No uid, documentId or locale contains
// it.
const separator = 0

// number is the number of bytes of a write's number in a key.
const number = 8

// typePrefix returns the prefix of the names of all entries of a type, documentPrefix that
// of a document.
func typePrefix(uid string) []byte { return append([]byte(uid), separator) }

// nameOf returns the name of an entry in keys.
func nameOf(uid string, k store.Key) []byte {
	name := make([]byte, 0, len(uid)+len(k.DocumentID)+len(k.Locale)+4)
	name = append(append(name, uid...), separator)
	name = append(append(name, k.DocumentID...), separator)
	return append(append(name, k.Locale...), separator, byte(k.Status))
}

// place returns where a version is stored. Replaced versions are in the order of the writes
// that replaced them, so that a write appends to the end; removed ones are found by name.
func (v *Version) place(name []byte) VersionKey {
	key := make([]byte, 0, len(name)+2*number)
	if v.End.Removed {
		key = binary.BigEndian.AppendUint64(append(key, name...), v.End.Version)
		return VersionKey{store.Removed, binary.BigEndian.AppendUint64(key, v.Revision())}
	}
	key = append(binary.BigEndian.AppendUint64(key, v.End.Version), name...)
	return VersionKey{store.Replaced, binary.BigEndian.AppendUint64(key, v.Revision())}
}

// version reads the version from the place where it is stored: its key, its revision and
// the number of the write that replaced or removed it.
func (p VersionKey) version() (uid string, v Version, err error) {
	if len(p.key) < 2*number {
		return "", v, errKey
	}
	v.End.Removed = p.in == store.Removed
	rest, revision := p.key[:len(p.key)-number], p.key[len(p.key)-number:]
	end, name := rest[:number], rest[number:]
	if v.End.Removed {
		name, end = rest[:len(rest)-number], rest[len(rest)-number:]
	}
	v.Stamp.Version, v.End.Version = binary.BigEndian.Uint64(revision), binary.BigEndian.Uint64(end)
	parts := bytes.SplitN(name, []byte{separator}, 4)
	if len(parts) != 4 || len(parts[3]) != 1 {
		return "", v, errKey
	}
	v.Key = store.Key{DocumentID: string(parts[1]), Locale: string(parts[2]), Status: store.Status(parts[3][0])}
	if v.Key.Status != store.Draft && v.Key.Status != store.Published {
		return "", v, fmt.Errorf("its key has the status %d", byte(v.Key.Status))
	}
	return string(parts[0]), v, nil
}

var errKey = errors.New("its key is not that of a version")
