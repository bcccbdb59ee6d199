// Package history keeps what entries were before they were changed or removed.
//
// Its nouns: a [Version] is one state of an entry, the current one or a former one. It
// is named by the number of the write that made it, its revision. [Keep] stores what a
// write replaces, in the write's own transaction; [Versions] and [Read] show it; [Expired]
// finds what is too old, and [Remove] removes it.
//
// The newest former version of an entry is stored as the difference to what the entry is
// now, the one before as the difference to that, and so on. So a write stores little,
// and the oldest can be removed without a look at the others. A version whose entry was
// removed is stored whole. Each carries a checksum of what it is the difference to: one
// that does not fit is never guessed at, it cannot be read any more.
//
// The records of an entry are a chain. The revision that an entry has now is the number of
// the write that replaced the version before, and the records of what was replaced stand
// in the order of those numbers: a write adds to the end of the file's tree, where all
// writes of a commit meet on one page, and the reader of a history goes from page to page.
// A write that moves a revision and nothing else leaves a record too, which only leads to
// the one before; of several in a row one is kept. What was removed has nothing after it
// that would lead there, and is found by its name:
//
//	replaced / <number of the write><name><revision> → record
//	removed / <name><number of the write><revision> → record
//
// Numbers are 8 bytes, the highest first. A name is uid 0 documentId 0 locale 0 status. A
// record is
//
//	01                  format
//	CRC-32C             of replaced or removed, the key and all that follows, 4 bytes
//	flags               1 compressed, 2 only the revision was different after it
//	ordinal             4 bytes: 1 for the first version that was kept of the entry
//	replaced at         8 bytes, milliseconds since 1970
//	CRC-32C             of the fields that it is the difference to, 4 bytes
//	CRC-32C             of its own fields, 4 bytes
//	id, createdAt, updatedAt, publishedAt: varints
//	action, createdBy, updatedBy, action and actor of the write that replaced it
//	length of its fields, and of what follows before it was compressed: uvarints
//	the fields, or the difference to them
//
// The package does not know what a caller may see, nor what a schema says.
package history
