// Package people manages the accounts of the admin: who can sign in there, and what each
// account may do.
//
// Its nouns:
//
//   - An Account is a person who works on the content of the site. Accounts are separate from
//     the users of the site, who are content.
//   - A Role says what its accounts may do. Some roles are built in.
//   - A Session is the result of signing in: a long random token in a cookie. It ends when it
//     was not used for a while, and after a fixed time in any case.
//   - A link lets its holder choose a password once. The first link creates the first account.
//   - A second factor is needed in addition to the password: a code of an app, or a recovery
//     code. A ticket records which steps of a sign-in the browser has completed.
//   - A passkey signs in by itself: an authenticator holds the private key, for one host. Only
//     the public key is stored.
//   - A link to a provider links an account to a person at the site's provider, by issuer and subject. A
//     Person is somebody whom the provider has authenticated; package openid has verified it.
//   - An Assistant is a program that works on behalf of an account: it holds a token with a part
//     of the rights of its owner. Limits say which part.
//   - The Directory holds all of them in memory. They are records of the data file, and the feed of
//     commits updates the Directory, whichever node has written.
//
// Passwords are stored as argon2id hashes. Sessions, links and recovery codes are stored as
// keyed hashes. The secrets of apps are encrypted with a key in the data file. The records are
// not content: no query reaches them. Exports contain the names and addresses of accounts that have
// to do with a review, and nothing else of them.
//
// The package knows no routes, cookies or envelopes; package admin does.
package people
