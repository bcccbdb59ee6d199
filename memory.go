package main

import (
	"os"
	"runtime/debug"

	"quire/store"
)

// Reading the content at the start makes much garbage that is gone right after.
const (
	loadingGC = 400 // per cent of garbage that is let grow while the content is read
	servingGC = 50  // and from then on: what lives is large, hardly changes, and has few pointers
)

// settle runs load, which brings the content into memory, and then gives back
// what only loading needed. An operator who sets GOGC keeps what was set.
func settle(db *store.DB, load func() error) error {
	_, chosen := os.LookupEnv("GOGC")
	if !chosen {
		debug.SetGCPercent(loadingGC)
		defer debug.SetGCPercent(servingGC)
	}
	if err := load(); err != nil {
		return err
	}
	if err := db.Forget(); err != nil {
		return err
	}
	debug.FreeOSMemory()
	return nil
}
