// Package indextest compares snapshots of the index, for the tests of other packages.
//
// Its one noun is a difference: [Diff] says in words where two snapshots of one site
// first hold something else. It keeps nothing between calls.
//
// The package knows no more of snapshots than every other package does: it asks them,
// and does not look at how they are laid out.
package indextest
