// Package index holds the content of a site in memory, in the form that reads need.
//
// A Snapshot is one moment of all content: for every content type a Collection with one
// Table for drafts and one for published entries. A Table numbers its entries; that number
// is the row. Rows ascend with the ids of their entries, so walking rows walks entries in
// their default order. The content of a row is its Body: the values of an entry, already in
// the JSON of responses, and the edges it owns, with targets as document numbers.
//
// Bodies take most of the memory, so those that are read at the start beyond a limit are in
// a file that is mapped (bodies.go). A reader of a Body must hold its Snapshot until it is
// done: the bytes do not keep the file.
//
// Deleting an entry leaves its row empty. When most rows of a table are empty, the next
// version of it numbers the entries again, in the same order and without gaps, and its
// indexes with them. If a document has no entries and no edge names it, its number goes to
// another document. So rows and document numbers are only valid within one snapshot; what
// is stored for longer names entries by ids and documents by documentIds.
//
// Tables answer look-ups through indexes. Each is built on first use, or read from a file of
// an earlier process (saved.go), and updated by every later write:
//
//   - Values: the distinct values of one attribute path in order, each with its
//     posting, the set of rows that have it, and unions of those that share many;
//   - Links: for one relation path, each target document with the rows that
//     link to it;
//   - Words: for one path, the words of its texts with the rows that have them;
//   - Terms: for one path, the words of its texts as their language has them, with the
//     rows that have them and the order in which they have them;
//   - Translations: for each two locales, the rows of the one whose document has
//     the other too;
//   - References: each document with the rows that link to it, through whichever
//     attribute.
//
// A Lookup finds the entries of one table by id, document or value, for packages
// that have no query to compile.
//
// Snapshots are immutable. An Edit is the one writer's private copy: it shares every page,
// block and posting with the snapshot it started from and copies what it changes, once,
// until Publish makes it current with one atomic store. Readers hold a snapshot as long as
// they like and never wait for a writer.
//
// The package knows nothing of files on disk except the entries that the store returns and
// the bytes of saved indexes, of queries, of callers' rights, or of how a document is written.
package index
