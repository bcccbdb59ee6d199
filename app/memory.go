package app

import (
	"os"
	"runtime"
	"runtime/debug"

	"quire/store"
)

// Reading the content at the start makes much garbage that is not needed afterwards.
const (
	loadingGC = 400 // percentage of garbage while the content is read
	servingGC = 100 // and afterwards
	largeGC   = 50  // and with much content, where 100 per cent would be too much
)

// large is the number of bytes of content that counts as much.
const large = 256 << 20

// collectAfter runs load, which reads the content into memory. Memory that only loading
// needed is freed in the background. If the operator sets GOGC, that value is kept.
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

// servingPercent returns the percentage of garbage for the current amount of live data.
func servingPercent() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > large {
		return largeGC
	}
	return servingGC
}
