// Package event keeps the log of changes: what each commit changed in the content, by whom and
// when, written in the transaction of the commit. Programs that depend on the content continue
// to read where they stopped. Nothing is passed on from memory alone, so readers see every
// acknowledged change, and no other.
//
//   - An [Event] is one entry that was created, written, published, unpublished or deleted.
//   - A [Commit] is the events of one commit, under its revision.
//   - A [Position] is a place in the log from which reading can continue.
//
// The log reaches back to its floor, see [Floor]. It is trimmed to what the site keeps, and
// starts again when content was changed as a whole, by an import, a migration or a repair. A
// reader with an earlier position gets a [GoneError] and has to read the content itself.
//
// The package does not know who reads the log, nor what readers may see: package query
// decides that.
package event
