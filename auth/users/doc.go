// Package users serves the users of a site: registration, sign-in, sessions and new
// passwords.
//
// Its nouns:
//
//   - A user is one account, an entry like any other content.
//   - Accounts are the users of one version of the site. They are read from the index and
//     changed through content.Writer. Accounts of a former version can be used until their
//     writer is closed.
//   - A Form is the body of one request about accounts.
//   - A Session is the result of signing in. It ends when the user's epoch changes, a random
//     text in the user's entry. With refresh tokens, it also ends with its family of them.
//   - A letter is mail that waits in the outbox of the data file until it is sent.
//   - The Service holds what exists once for each data file, across versions of the site:
//     sessions, outgoing mail, and the order of changes to the same user.
//
// No credential is stored in the form in which it was issued: passwords are argon2id
// hashes, refresh tokens and codes are keyed hashes. Codes and the epoch are private
// attributes of the user, so that they change in the same write as the values that they
// protect.
//
// The package decides nothing about permissions. Package auth does, and asks account which
// user a JWT belongs to. The package knows no routes, headers or envelopes.
package users
