// Package desk keeps what accounts of the admin have on their desks: preferences, and
// what they were typing and have not saved.
//
// Its nouns:
//
//   - The preferences of an account are one JSON object, which its pages make and read.
//   - An Autosave is a form as it was typed: of a document in one locale, or of one that is
//     still to be made. An account has at most one for each.
//   - A Desk reads and writes both.
//
// They are records of the data file. They are no content: no query reaches them, no export
// has them, the history and the log of changes know nothing of them. They go with the
// account: see Clear.
//
// The package does not know what is in a form, nor who may read a document.
package desk
