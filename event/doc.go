// Package event keeps the log of changes: what each commit changed in the content, by
// whom and when, written in the transaction of the commit itself. Whoever depends on the
// content reads it on from the place where it stopped: nothing is passed on from memory
// alone, so a change that was acknowledged is heard of, and one that was not is not.
//
//   - An [Event] is one entry that was made, written, published, taken back or deleted.
//   - A [Commit] is the events of one commit, under its revision.
//   - A [Position] is a place in the log, from which it can be read on.
//
// The log reaches back to its floor, see [Floor]. It is trimmed to what the site wants to
// keep, and begins anew where content was changed as a whole, by an import, a migration or
// a repair: who reads on from before gets a [GoneError] and reads the content itself.
//
// The package does not know who reads the log, nor what of it they may see: that is
// decided in package query.
package event
