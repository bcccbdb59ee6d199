// Package gateway starts versitygw, an object store that stores buckets in a folder, for
// tests of sites with files in a bucket. It is only for tests. It finds the store in PATH; if
// there is none the test is skipped, unless it checks first.
//
//	go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
package gateway
