// Package gateway starts versitygw, an object store that keeps a folder of the disk as
// buckets, for tests of sites whose files are in a bucket. It is for tests only. The store is found by VERSITYGW in the environment,
// or in PATH; where there is none the test is skipped, unless it asks before.
//
//	go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
package gateway
