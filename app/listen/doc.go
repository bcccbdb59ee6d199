// Package listen opens the addresses at which a site is served.
//
//   - [Listeners] are the open listeners: of the site, of the redirect to TLS, and of
//     metrics. [Open] opens all of them or none. The server that uses one closes it.
//   - [Certificates] are those of a site over TLS, for as long as it is served: a pair
//     of files that is read again when it changes, or certificates that an authority
//     issues for domains by ACME, kept in a folder.
//   - [Notify] reports the state of the service to the service manager.
//
// The package knows no routes, content or flags: an [AddressError] has the address, and the
// command line adds the flag.
package listen
