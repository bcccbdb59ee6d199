// Package changeset keeps changes that wait for a person. A [ChangeSet] is a list of writes that
// are all done or none. Whoever may not do them alone stores them here; a person sees what they
// would change, and approves or rejects them.
//
// All of it is in records of the data file, so it is the same after a restart, in a backup, and
// on each node. The package does not know what the writes mean, nor who may see or do them:
// package documents decides that.
package changeset
