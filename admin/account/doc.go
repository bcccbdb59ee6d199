// Package account has the accounts of the admin: who may sign in there, and what each
// may do.
//
// Its nouns:
//
//   - An Account is somebody who works on the content of the site. It has nothing to do
//     with the users of the site, which are content.
//   - A Role says what its accounts may do. Some are built in.
//   - A Session is what somebody gets by signing in: a long random token, which a cookie
//     holds. It ends when it has not been used for a while, and at last in any case.
//   - A link lets whoever has it choose a password once: that of the first account, which
//     it makes.
//   - A second factor is what an account is asked for beside its password: a code of an app,
//     or one of its recovery codes. A ticket holds what the browser has shown so far.
//   - A passkey signs in by itself: a key that an authenticator of the account has, for one
//     host. Only the public half is stored.
//   - A bond says whose an account is at the provider of the site, by issuer and subject. A
//     Person is somebody whom the provider has let in; package openid has proven it.
//   - The Book holds all of them in memory. They are records of the data file, and the
//     feed of commits moves the Book, whichever node has written.
//
// Passwords are stored as argon2id hashes; of sessions, links and recovery codes only keyed
// hashes are stored. The secrets of apps are encrypted with a key of the data file. The records are not content: no query reaches them, and no export has them.
//
// The package knows no routes, cookies or envelopes: package admin does.
package account
