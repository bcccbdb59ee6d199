// Package live tells those who listen what changes, as it changes.
//
// Its nouns:
//
//   - A Hub follows the feed of commits for one version of the site, and ends with it.
//     While anybody listens it reads the log behind each commit, and wakes those whom
//     the commit is about.
//   - A Question is what somebody wants to hear of.
//   - A stream is one listener. It has a position in the log, and a goroutine only while
//     there is something to send. It reads the commits behind its position from the tail,
//     the last of them in memory, or from the file where it is far behind; a little at a
//     time, and nothing is held for it that it has not taken.
//   - A group is the streams of callers with equal rights and the same question. What
//     they hear of a commit is encoded once, in parts.
//   - Who is Present behind a stream is told to all streams that have the same document
//     open.
//
// Rights are looked up at the moment of sending: nothing is sent to a caller who has
// lost them from the commit on that took them, and the stream ends. What a caller may see
// of an event is decided in package query.
//
// The package knows no route and no parameter: the server makes the questions.
package live
