// Package openid lets people sign in at a provider, by OpenID Connect or OAuth 2.
//
//   - A [Provider] is a service at which people sign in, as site.json describes it. What a
//     provider of OpenID Connect says about itself (discovery) is kept for an hour.
//   - An [Attempt] is one try to sign in: state, nonce and the verifier of PKCE. It ends
//     after ten minutes.
//   - A [Keeper] has the browser keep the attempt, sealed, in a cookie. So a try is bound to
//     the browser that began it, and tries that are never finished take no memory here.
//   - An [Identity] is who signed in, as far as that is proven.
//
// An attempt is used once: finishing it removes the cookie, and the provider takes each
// code once.
//
// Requests go out through the client of [NewClient] alone, which bounds what an answer may
// take and where requests may go.
//
// The package knows neither users nor accounts of the admin, and no settings but those of
// a provider. Who the person is here decides whoever asks it.
package openid
