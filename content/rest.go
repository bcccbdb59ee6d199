package content

import (
	"runtime/metrics"
	"time"
)

// Writes at full speed could keep all processors busy, and reads would be left
// with what their share of the connections comes to. So while there are reads, and
// not enough processors for all that has to be done, there is a rest before each
// batch, by how long the last one kept a processor busy. More writes gather
// meanwhile and share a commit, so that few are lost by it.
const (
	restFactor  = 6
	longestRest = 20 * time.Millisecond
)

// restBetween is the rest after a batch that kept a processor busy for so long.
func restBetween(worked time.Duration) time.Duration {
	return min(restFactor*worked, longestRest)
}

// rest leaves the processors to reads, if there have been some since the last batch
// and somebody waits for a processor.
func (w *Writer) rest() {
	before := w.seen
	w.seen = w.reads()
	if w.seen != before && crowded() {
		time.Sleep(restBetween(w.worked))
	}
}

// crowded reports whether anything waits for a processor.
func crowded() bool {
	waiting := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(waiting)
	return waiting[0].Value.Kind() == metrics.KindUint64 && waiting[0].Value.Uint64() > 0
}
