// Package storetest has the tests of every store.Journal, and a journal in memory.
//
// Its nouns:
//
//   - [Run] is the contract: it calls a journal as the nodes of a site do, and is part
//     of the tests of each implementation.
//   - [Memory] is a journal for tests, which the data files in one process share. It
//     lives as long as the test, and is lost with it.
//   - A [Fault] is what a test has become of one batch: the journal loses it, or its
//     answer.
//
// The package knows only what store exports about a data file, and not how any journal
// stores its batches.
package storetest
