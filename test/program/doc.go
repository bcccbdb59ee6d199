// Package program builds quire once for each run of tests and drives it from outside, as an
// operator would: by its command line, signals and output. It is only for tests, and uses
// no other package of this module.
//
// A Server is a running "quire serve"; it can be stopped, killed and measured.
package program
