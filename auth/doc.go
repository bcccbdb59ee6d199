// Package auth decides who is calling and what they may do.
//
// Its nouns:
//
//   - A Permission is one action on one uid, written "api::dish.dish.find".
//   - A Caller is the role or the API token for which a request is served, with its
//     permissions. Callers are made when the site, the roles or the tokens change, never
//     per request, so their addresses may key caches. Those of preview links are not.
//   - An AdminRole is what accounts of the admin may do, by content type; NewAdminCaller
//     makes their Caller. The accounts themselves are not known here.
//   - A Role is a named list of permissions. site.json sets some, the data file
//     holds the others; a role of either is an entry, so that users can have it.
//   - A token is a long random secret that stands for a Caller.
//   - An Identity is a Caller and, where a user has signed in, the User. It lives as long
//     as a request.
//   - A Preview is the document that a preview link opens. Whoever shows the token of one
//     is a Caller made for that request, with the rights to read of whoever made the link.
//   - Auth holds what there is once for each data file, over all versions of the site:
//     roles, tokens, keys, and the Throttle, which limits tries. Roles, tokens and keys
//     change with the feed of commits, whichever node wrote: see Auth.apply.
//
// Only keyed hashes of tokens and codes are stored. Those of tokens are in records of the
// store, which are not content and which no query can reach.
//
// Access is denied unless a permission says otherwise. A credential that is not
// valid is an error and never counts as none.
//
// auth knows no routes, headers or envelopes: the server passes it the credential and
// asks the Caller. Of accounts it knows only what it asks for through the interface
// Accounts, which package account implements. It hashes no passwords.
package auth
