// Package oauth knows the programs that connect to a site by OAuth 2.1: assistants to which a
// person gives a part of their rights by signing in to the admin.
//
// Its nouns:
//
//   - A Client is a program, with the addresses to which it may have a browser sent back. It has
//     registered itself, and its id then is what it said, encrypted: nothing is stored, so
//     nobody can fill the data file. Or its id is the address of a document that describes it.
//   - Clients finds both kinds. It sends requests only for documents, and only to addresses
//     that the site allows.
//   - An Authorization is what a client asks of a person, after all of it has been checked.
//
// The package knows no accounts and no tokens; package people does.
package oauth
