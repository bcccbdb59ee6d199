// Package history keeps the former versions of entries that were changed or removed.
//
// Its nouns: a [Version] is one state of an entry, the current one or a former one. It is
// identified by the number of the write that made it, its revision. [Keep] stores the version
// that a write replaces, in the transaction of the write; [Versions] and [Read] return
// versions; [Expired] finds expired ones, and [Remove] removes them.
//
// The newest former version of an entry is stored as the difference to the current entry, the
// one before as the difference to that, and so on. So a write stores little, and the oldest
// version can be removed without reading the others. A version whose entry was removed is
// stored whole. Each version has a checksum of the version that it is the difference to. If
// the checksum does not match, the version cannot be read.
//
// The records of an entry form a chain. The current revision of an entry is the number of the
// write that replaced the version before, and the records of replaced versions are in the
// order of these numbers: a write appends to the end of the file's tree, where all writes of a
// commit share a page, and a reader of a history goes from page to page. A write that changes
// only the revision leaves a record too, which only leads to the one before; of several in a
// row, one is kept. No later version leads to a removed version, which is found by its name:
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
// The package knows neither callers nor schemas.
package history
