// Package contenttest helps the tests of the packages that change content: a
// [Fixture] is a site with a data file and a writer on it, and a [Gambler] writes to
// it at random. When a test ends, the fixture compares the live index with the file
// and audits what was stored.
package contenttest
