// Package objects tests a site whose files are in an object store, from outside, against
// a real one: versitygw, which the package test/gateway starts. Where there is none the
// tests are skipped.
//
// Between the program and the store stands a line, which a test cuts, or has answer that
// the store is full.
package objects
