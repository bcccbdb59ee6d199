// Package ledger knows what a program must contain after it was killed, or its disk has
// failed. It is only for tests.
//
// Writers make up requests: an Op each. A Trial sends them to a Peer, the program under
// test, and only each acknowledged one to its twin. Then both must show the same. The twin
// is never disturbed, so its indexes have followed every write, while those of the other
// come from its file.
package ledger
