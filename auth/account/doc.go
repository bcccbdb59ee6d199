// Package account serves the users of a site: they register, sign in, stay signed in and
// choose a new password.
//
// Its nouns:
//
//   - A user is one account, an entry like any other content.
//   - Accounts is the users of one version of the site. It reads them from the index
//     and changes them through content.Writer. Accounts of a former version may be
//     used until their writer is closed.
//   - A Form is the body of one request about accounts.
//   - A Session is what a user gets by signing in. It ends when the user's epoch changes,
//     a random text in the user's entry; where refresh tokens are used, it also ends with
//     its family of them.
//   - A letter is mail that waits in the outbox of the data file until it was sent.
//   - The Service holds what there is once for each data file, over all versions of
//     the site: sessions, outgoing mail, turns of those who change the same user.
//
// No credential is stored in the form in which it was given out: passwords are argon2id
// hashes, refresh tokens and codes are keyed hashes. Codes and the epoch are private
// attributes of the user, so that they change in the same write as what they belong to.
//
// account decides nothing about permissions: package auth does, and asks account which
// user a JWT stands for. It knows no routes, headers or envelopes.
package account
