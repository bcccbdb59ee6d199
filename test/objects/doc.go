// Package objects tests a site whose files are in an object store, from outside, against a
// real one: versitygw, which the package test/gateway starts. Without it the tests are
// skipped.
//
// Between the program and the store is a proxy, which a test can cut, or make answer that
// the store is full.
package objects
