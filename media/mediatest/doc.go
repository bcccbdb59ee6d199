// Package mediatest has the tests that every storage of files must pass, and an object
// store to test one with.
//
// The tests of each implementation of media.Storage run [Storage], so that all behave the
// same. [S3] is an object store in memory, which fails as a test requires. The package is
// only for tests.
package mediatest
