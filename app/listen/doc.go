// Package listen opens the addresses at which a site is served.
//
//   - [Listeners] are the open ones: of the site, of the redirect to TLS, and of
//     metrics. [Open] opens all of them or none; whoever serves at one closes it.
//   - [Certificates] are those of a site over TLS, for as long as it is served: a pair
//     of files that is read again when it changes, or what an authority gives for
//     domains by ACME, kept in a folder.
//   - [Notify] reports the state of the service to the service manager.
//
// The package knows no route, no content and no flag: an [AddressError] says which
// address is meant, and the command line names the flag.
package listen
