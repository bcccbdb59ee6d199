// Package mediatest has what every storage of files has to pass.
//
// [Storage] is run by the tests of each implementation of media.Storage, so that those who
// use one need not know which it is. It is for tests alone.
package mediatest
