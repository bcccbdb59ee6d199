// Package indextest compares snapshots of the index, for the tests of other packages.
//
// Its one noun is a difference: [Diff] describes the first difference between two snapshots
// of one site. It keeps nothing between calls.
//
// The package uses only what snapshots show to every other package, not their layout.
package indextest
