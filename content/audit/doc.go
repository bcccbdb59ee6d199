// Package audit keeps the audit log: who did what to a site, from where, and when.
//
// Its nouns:
//
//   - An Event is one line: an action, what it was done to, by whom, and the outcome.
//   - A Source is on whose behalf something is done, and how the request arrived. A context
//     carries it from where the caller is identified to where something is changed.
//   - The log is the lines in the data file. Each line has a number that is one higher than that
//     of the line before it. Nothing changes a line. Lines are removed when they expire, or when
//     there are too many bytes of them. Lines of strangers and refusals have a share of their
//     own, and so does the work of accounts, so that nobody can push out lines about access or
//     the site, by failed attempts or by many writes.
//
// If a change has a transaction, its line is written in the same one, so that neither
// exists without the other. A line names things and never contains their content: no
// secret, and no value of an attribute.
//
// The package knows no routes, roles or content types. The code that changes something supplies
// the event.
package audit
