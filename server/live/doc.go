// Package live sends changes to listeners as they happen.
//
// Its nouns:
//
//   - A Hub follows the feed of commits for one version of the site, and ends with it. While
//     there are listeners, it reads the log after each commit, and wakes the streams that the
//     commit concerns.
//   - A Subscription is what a listener wants to receive.
//   - A stream is one listener. It has a position in the log, and a goroutine only while there
//     is something to send. It reads the commits after its position from the tail, which is the
//     latest commits in memory, or from the file if it is far behind. It reads a little at a
//     time, and nothing that it has not read is buffered for it.
//   - A group is the streams of callers with equal rights and the same subscription. The part of a
//     commit that they receive is encoded once.
//   - Presence: who has a document open is sent to all streams that have the same document open.
//
// Rights are checked at the moment of sending: a caller who loses them receives nothing from
// the commit on that removed them, and the stream ends. Package query decides what a caller may
// see of an event.
//
// The package knows no routes and no parameters: the server makes the subscriptions.
package live
