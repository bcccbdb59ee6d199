// Package webhook sends changes of the content to receivers, until they arrive.
//
//   - A [Hook] is a receiver and the changes that it gets: one of site.json, or one created over
//     the API. Its secret is in the data file.
//   - A [Webhooks] is the hooks of one version of the site: it lists, changes and tests them, and
//     lists what has not arrived.
//   - A [Service] sends. For each hook it reads the log of changes (package event) from a
//     position that is stored from time to time, up to eight documents at once, the changes of
//     one document in order. A change that a receiver does not accept becomes a parcel in the
//     outbox (package notify/outbox), and later changes of its document wait behind it.
//   - A [Delivery] is one change that waits in the outbox, or that was set aside after three
//     days.
//
// The log has every committed change and no other, and the position of a hook advances only
// when everything before it has arrived or is a parcel. So each change is sent at least
// once, across restarts; the id of a delivery stays the same.
//
// The package is a client of HTTP and knows no server. It sends only to the public
// internet, and to addresses that site.json allows: settings.Events.CheckAddress.
package webhook
