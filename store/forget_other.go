//go:build !linux

package store

import "go.etcd.io/bbolt"

// Forget does nothing here: only Linux is asked to give pages back.
func (db *DB) Forget() error { return nil }

func forgetPages(*bbolt.Tx) error { return nil }
