// Package auth knows who is calling and what they may do.
//
// Its nouns:
//
//   - A Permission is one action on one uid, written "api::dish.dish.find".
//   - A Caller is whom a request is served for, with the permissions that it
//     holds: a role or an API token. Callers are made when the site, the roles or
//     the tokens change, never per request, so their addresses may key caches.
//   - A Role is a named list of permissions. site.json sets some, the data file
//     holds the others; a role of either is an entry, so that users can have it.
//   - A token is a long random secret that stands for a Caller.
//   - A User is one account. An Identity is a Caller with the User who has signed
//     in, if one has.
//   - A Session is what somebody gets who signs in. It ends with the user's
//     epoch, a random text in the user's entry that changes when sessions are to
//     end, or, where refresh tokens are used, with its family of them.
//   - Auth holds what there is once for each data file: roles, tokens, sessions,
//     keys. Accounts is the users of one version of the site; it reads them from
//     the index and changes them through content.Writer, like any content.
//
// What lets somebody in is nowhere as it was handed out. Passwords are argon2id
// hashes. Of tokens, refresh tokens and codes there are keyed hashes: of the
// first two in records of the store, which are no content and which no query can
// reach; of codes, like the epoch and what roles may do, in private attributes,
// so that they change in the same write as what they belong to.
//
// Access is denied unless a permission says otherwise. A credential that is not
// valid is an error and never counts as none.
//
// auth knows no routes, headers or envelopes: the server hands it the credential
// and the form, and asks the Caller.
package auth
