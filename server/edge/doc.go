// Package edge bounds what clients can take of a server: connections, time, requests
// under way, memory, and requests in a time. A client that is slow, silent or many
// keeps nobody else out.
//
// Its nouns:
//
//   - The Load is what all clients of a server take together, and counts those that
//     were turned away. It lives as long as the server.
//   - Load.Serve serves a listener: it bounds the connections, and closes the one
//     that has waited longest for its client when another needs its place.
//   - A Request is what one request takes of the Load, from Begin to End. End gives
//     all of it back, however the request went.
//   - A Body is the body of a request while it arrives. Its request does not count
//     among those under way meanwhile, and its memory counts as it comes.
//   - A Stream is an answer that goes on. Streams are bounded apart from requests and
//     connections, and one whose client does not read is dropped.
//   - Patience is how long a client may take over each part of a request.
//   - A Rate bounds the requests of an address in a time; Slots bound the expensive
//     ones that are worked on at once.
//
// What does not fit in is refused with one of the errors in load.go, which the caller
// turns into an answer.
//
// The package knows no route, no answer and no content, and nothing of this module.
package edge
