// Package mediatest has what every storage of files has to pass, and an object store to try
// one with.
//
// [Storage] is run by the tests of each implementation of media.Storage, so that those who
// use one need not know which it is. [S3] is an object store in memory, which fails as a
// test wants it to. The package is for tests alone.
package mediatest
