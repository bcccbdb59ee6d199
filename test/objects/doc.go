// Package objects tests a site whose files are in an object store, from outside, against
// a real one: versitygw, which keeps a folder of the disk as buckets. It is found by
// VERSITYGW in the environment, or in PATH; where there is none the tests are skipped.
//
//	go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
//
// Between the program and the store stands a line, which a test cuts, or has answer that
// the store is full.
package objects
