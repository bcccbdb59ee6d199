// Package power cuts the power of a program. It is only for tests.
//
// A test runs its own program again under strace, which records each write, each sync and
// each change of a name in a folder. A Disk follows that record, and knows what a disk that
// lost its power at any moment may have: all that was synced, and of the rest anything.
package power
