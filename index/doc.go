// Package index holds the content of a site in memory, ready to be asked.
//
// A Snapshot is one moment of all content: for every content type a Collection
// with one Table for drafts and one for published entries. A Table numbers its
// entries densely; that number is the row. Rows ascend with the ids of their
// entries, so walking rows walks entries in their default order. What a row
// holds is its Body: the values of an entry, already in the JSON that answers
// carry, and the edges it owns, with targets as document numbers.
//
// Tables answer look-ups through two kinds of index, each built when it is
// first asked for and moved forward with every write after that:
//
//   - Values: the distinct values of one attribute path in order, each with its
//     posting, the set of rows that have it;
//   - Links: for one relation path, each target document with the rows that
//     link to it.
//
// Snapshots are immutable. An Edit is the one writer's private copy: it shares
// every page, block and posting with the snapshot it started from and copies
// what it touches, once, until Publish makes it current with one atomic store.
// Readers hold a snapshot as long as they like and never wait for a writer.
//
// The package knows nothing of files on disk beyond the entries that the store
// hands out, of queries, of callers' rights, or of how a document is written.
package index
