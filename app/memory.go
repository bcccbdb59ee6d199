package app

import (
	"os"
	"runtime"
	"runtime/debug"

	"quire/store"
)

// Reading the content at the start makes much garbage that is gone right after.
const (
	loadingGC = 400 // per cent of garbage that is let grow while the content is read
	servingGC = 100 // and from then on
	largeGC   = 50  // with much content, of which so much again would be too much
)

// large is the number of bytes from which on content is much.
const large = 256 << 20

// collectAfter runs load, which reads the content into memory. What only loading needed is
// given back beside what comes next: nobody waits for that. An operator who sets GOGC keeps
// what was set.
func collectAfter(db *store.DB, load func() error) error {
	_, chosen := os.LookupEnv("GOGC")
	if !chosen {
		debug.SetGCPercent(loadingGC)
		defer func() { debug.SetGCPercent(servingPercent()) }()
	}
	if err := load(); err != nil {
		return err
	}
	if err := db.ReleaseMemory(); err != nil {
		return err
	}
	go debug.FreeOSMemory()
	return nil
}

// servingPercent is how much garbage is let grow beside what lives.
func servingPercent() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > large {
		return largeGC
	}
	return servingGC
}
