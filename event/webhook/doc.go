// Package webhook sends changes of the content to those who asked for them, until they
// arrive.
//
//   - A [Hook] is where changes are sent to, and which: one of site.json, or one that was
//     made over the API. Its secret is in the data file.
//   - A [Book] is the hooks of one version of the site: showing, changing and trying them,
//     and what has not arrived.
//   - A [Service] sends. For each hook it reads the log of changes (package event) on from
//     a position that is stored now and then, up to eight documents at once, the changes of
//     one document in order. What a receiver does not take becomes a parcel in the outbox
//     (package event/outbox), and the later changes of its document wait behind it.
//   - A [Delivery] is one change that waits in the outbox, or that was set aside after
//     three days.
//
// Nothing is sent from memory alone: the log has what was committed and nothing else, and
// the position of a hook moves on only once everything before it has arrived or is a parcel.
// So each change is sent at least once, over restarts; the id of a delivery stays the same.
//
// The package is a client of HTTP and knows no server. It sends to the public internet
// alone, and to what site.json allows besides: settings.Events.CheckAddress.
package webhook
