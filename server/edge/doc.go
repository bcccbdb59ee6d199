// Package edge limits what clients can take of a server: connections, time, concurrent requests,
// memory, and requests per interval. Slow, silent or numerous clients keep nobody else out.
//
// Its nouns:
//
//   - The Load is what all clients of a server take together. It also counts the requests that
//     were refused. It lives as long as the server.
//   - Load.Serve serves a listener: it limits the connections, and closes the one that has
//     waited longest for its client when another one needs its place.
//   - A Request is what one request takes of the Load, from Begin to End. End returns all of it,
//     whatever the outcome.
//   - A Body is the body of a request while it arrives. Meanwhile its request does not count as
//     one in progress, and its memory is counted as it arrives.
//   - A Stream is a response that does not end. Streams are limited separately from requests and
//     connections, and one whose client does not read is closed.
//   - Patience is how long a client may take for each part of a request.
//   - A Rate limits the requests of an address per interval; Slots limit the expensive requests
//     that run at the same time.
//
// What exceeds a limit is refused with one of the errors in load.go, which the caller turns into
// a response.
//
// The package knows no routes, responses or content, and does not depend on other packages of
// this module.
package edge
