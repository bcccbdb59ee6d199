// Package openid lets people sign in at a provider, by OpenID Connect or OAuth 2.
//
//   - A [Provider] is a service at which people sign in, as site.json describes it. The
//     configuration that a provider of OpenID Connect publishes (discovery) is cached for an
//     hour.
//   - An [Attempt] is one attempt to sign in: state, nonce and the PKCE verifier. It expires
//     after ten minutes.
//   - A [Keeper] stores the attempt in the browser, sealed in a cookie. So an attempt is bound
//     to the browser that began it, and unfinished attempts take no memory of the server.
//   - An [Identity] is the person who signed in, as far as the provider proves it.
//
// An attempt is used once: finishing it removes the cookie, and the provider accepts each code
// once.
//
// All requests use the client of [NewClient], which limits responses and the addresses that
// requests may go to.
//
// The package knows neither users nor accounts of the admin, and no settings except those of a
// provider. The caller decides whose account the person gets.
package openid
