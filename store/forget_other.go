//go:build !linux

package store

// Forget does nothing here: only Linux is asked to give pages back.
func (db *DB) Forget() error { return nil }
