// Package outbox delivers parcels to somebody outside, and retries until they arrive: mail,
// webhooks.
//
// A parcel waits in the data file (store.Parcel) from the write that causes it until it is
// delivered or no longer needed. A [Box] delivers the parcels of one kind when they are due, in
// lanes, each lane in the order of its keys. An attempt begins by storing when the next one is
// due, so that a parcel that crashes the process is not tried again at once. The pauses between
// attempts grow.
//
// The package knows neither the contents of a parcel nor how it is sent: its carrier does.
package outbox
