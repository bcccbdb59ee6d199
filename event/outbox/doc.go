// Package outbox sends again until it arrives what must reach somebody outside: mail,
// webhooks.
//
// A parcel waits in the data file (store.Parcel) from the write that causes it until it
// has been delivered or is of no use any more. A [Box] delivers the parcels of one kind:
// those that are due, in lanes, each lane in the order of its keys. An attempt begins by
// storing when the next one is due, so that a parcel that brings the process down is not
// tried at once by the next one. The pauses between attempts grow.
//
// The package knows neither what is in a parcel nor how it is sent: its carrier does.
package outbox
