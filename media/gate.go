package media

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// pictureMemory is the most that working on one picture may take, in bytes. One
// that would take more is stored without formats.
const pictureMemory = 256 << 20

// coreMemory is what each core adds to the memory for all pictures together.
const coreMemory = 64 << 20

// gate lets as many pictures be worked on at once as there are cores, and no
// more than fit the memory set aside for them. The rest wait in the order in
// which they came.
type gate struct {
	room  int64 // bytes, for all pictures together
	share int64 // of one core: every picture takes at least this much
	busy  *semaphore.Weighted
}

func newGate() *gate {
	cores := int64(runtime.GOMAXPROCS(0))
	room := max(pictureMemory, cores*coreMemory)
	return &gate{room: room, share: room / cores, busy: semaphore.NewWeighted(room)}
}

// enter waits until work that takes that many bytes may begin.
func (g *gate) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	weight := min(max(bytes, g.share), g.room)
	if err := g.busy.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { g.busy.Release(weight) }, nil
}
