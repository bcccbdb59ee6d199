// Package history keeps what entries were before they were changed or removed.
//
// Its nouns: a [Version] is one state of an entry, the current one or a former one. It
// is named by the number of the write that made it, its revision. [Keep] stores what a
// write replaces, in the write's own transaction; [List] and [Read] show it; [Prune]
// removes what is too old.
//
// The newest former version of an entry is stored as the difference to what the entry is
// now, the one before as the difference to that, and so on. So a write stores little,
// and the oldest can be removed without a look at the others. A version whose entry was
// removed is stored whole. Each carries a checksum of what it is the difference to: one
// that does not fit is never guessed at, it cannot be read any more.
//
// A value of the store is, under documentId, 0, locale, 0, version and status:
//
//	01                  format
//	CRC-32C             of the type, the key and all that follows, 4 bytes
//	flags               1 stored whole, 2 compressed, 4 the entry was removed
//	ordinal             4 bytes: 1 for the first version that was kept of the entry
//	replaced at         8 bytes, milliseconds since 1970
//	CRC-32C             of the fields that it is the difference to, 4 bytes
//	CRC-32C             of its own fields, 4 bytes
//	id, createdAt, updatedAt, publishedAt, version of the write that replaced it: varints
//	action, createdBy, updatedBy, action and actor of that write
//	length of its fields, and of what follows before it was compressed: uvarints
//	the fields, or the difference to them
//
// The package does not know what a caller may see, nor what a schema says.
package history
