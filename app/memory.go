package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"

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

// collecting is held by whoever changes how much garbage may accumulate.
var collecting sync.Mutex

// collectAfter runs load, which reads the content into memory. Memory that only loading
// needed is freed in the background. If the operator sets GOGC, that value is kept.
func collectAfter(db *store.DB, load func() error) error {
	_, chosen := os.LookupEnv("GOGC")
	if !chosen {
		collecting.Lock()
		debug.SetGCPercent(loadingGC)
		collecting.Unlock()
	}
	err := load()
	if err == nil {
		err = db.ReleaseMemory()
	}
	collecting.Lock()
	go func() {
		defer collecting.Unlock()
		debug.FreeOSMemory()
		if !chosen { // not before: a smaller percentage would begin a collection of its own
			debug.SetGCPercent(servingPercent())
		}
	}()
	return err
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
