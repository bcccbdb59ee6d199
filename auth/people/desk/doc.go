// Package desk stores data of each account of the admin: preferences, and forms that are not
// saved yet.
//
// Its nouns:
//
//   - The preferences of an account are one JSON object, which its pages write and read.
//   - An Autosave is an unsaved form: of a document in one locale, or of a new document. An
//     account has at most one for each.
//   - A Desk reads and writes both.
//
// They are records of the data file and not content: no query reaches them, and exports, the
// history and the log of changes do not contain them. They are removed with the account: see
// Clear.
//
// The package does not know the contents of a form, nor who may read a document.
package desk
