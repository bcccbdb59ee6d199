// Package ledger knows what a program has to hold that is killed, or whose disk
// fails. It is for tests only.
//
// Writers make up requests: an Op each. A Trial sends them to a Peer, the program
// under test, and each one that is acknowledged to its twin, and to nothing else.
// Then what both show must be the same. The twin is never disturbed, so its
// indexes have followed every write, while those of the other come from its file.
package ledger
