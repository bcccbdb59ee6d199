// Package auth decides who is calling and what they may do.
//
// Its nouns:
//
//   - A Permission is one action on one uid, written "api::dish.dish.find".
//   - A Caller is the role or the API token that a request is served for, with its permissions.
//     Callers are made when the site, the roles or the tokens change, never for each request, so
//     their addresses can be keys of caches. This does not hold for those of preview links.
//   - An AdminRole says what accounts of the admin may do, by content type. NewAdminCaller makes
//     their Caller. The package does not know the accounts.
//   - A Role is a named list of permissions. site.json sets some, and the data file holds the
//     others. Every role is an entry, so that users can have it.
//   - A token is a long random secret that stands for a Caller.
//   - An Identity is a Caller and, if a user has signed in, the User. It lives as long as a
//     request.
//   - A Preview is the document that a preview link gives access to. The holder of its token
//     gets a Caller made for that request, with the rights to read of the caller who made it.
//   - Auth holds what exists once for each data file, across versions of the site: roles,
//     tokens, keys, and the Throttle, which limits attempts. Roles, tokens and keys change with
//     the feed of commits, whichever node has written: see Auth.apply.
//
// Tokens and codes are stored only as keyed hashes. Those of tokens are in records of the
// store, which are not content and which no query can reach.
//
// Access is denied unless a permission allows it. An invalid credential is an error and never
// counts as no credential.
//
// The package knows no routes, headers or envelopes: the server passes it the credential and
// uses the Caller. It knows accounts only through the interface Accounts, which package account
// implements. It hashes no passwords.
package auth
