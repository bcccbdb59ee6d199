package media

import (
	"context"
	"image"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// cost is the maximum memory for the steps of processing a picture, in bytes: what is held
// meanwhile, and all that is allocated, including garbage. A step begins when the one
// before has released everything that it does not pass on.
type cost struct {
	decoding  int64
	shrinking int64
	formats   []int64
}

// most returns the cost of the most expensive step: that much is reserved for the picture.
func (c cost) most() int64 {
	most := max(c.decoding, c.shrinking)
	for _, f := range c.formats {
		most = max(most, f)
	}
	return most
}

// buffers is the additional cost of a step for any picture: the windows and tables of
// readers and writers.
const buffers = 8 << 20

// cost computes the memory from the header of the file.
func (o *original) cost(list []target) (c cost) {
	decoding, held := o.codec.memory(o.config, &o.header)
	c.decoding = decoding + buffers
	whole, t := image.Pt(o.config.Width, o.config.Height), o.header.turn
	small := shrunk(whole, t.size(list[0].size.X, list[0].size.Y))
	if small != whole {
		c.shrinking = held + shrinkCost(whole, small) + buffers
		held = 4 * area(small)
	}
	for _, target := range list {
		size := t.size(target.size.X, target.size.Y)
		c.formats = append(c.formats, held+formatCost(small, size, o.codec.encoding)+buffers)
	}
	return c
}

func area(size image.Point) int64 { return int64(size.X) * int64(size.Y) }

// shrinkCost is the cost of shrink: the result, one row of the picture and one of sums.
func shrinkCost(from, to image.Point) int64 {
	if from == to {
		return 0
	}
	return 4*area(to) + 4*int64(from.X) + 16*int64(to.X)
}

// formatCost is the cost of one format: the picture is made smaller by a whole factor,
// scaled horizontally into floating point and then vertically, turned upright and encoded.
func formatCost(from, to image.Point, encoding int64) int64 {
	const sample, pixel, weights = 4 * 8, 4, 256 // of a pixel, a pixel, and of a row or column
	near := shrunk(from, to)
	bytes := shrinkCost(from, near)
	bytes += sample * int64(to.X) * int64(near.Y)
	bytes += weights * int64(to.X+to.Y)
	return bytes + (pixel+pixel+encoding)*area(to)
}

// pictureMemory is the maximum memory for processing one picture, in bytes. A picture that
// would take more is stored without formats.
const pictureMemory = 256 << 20

// coreMemory is what each core adds to the memory for all pictures together.
const coreMemory = 64 << 20

// workLimit limits the pictures that are processed at once: at most one for each core, and
// only as many as fit into the memory for them. The rest wait in order of arrival.
type workLimit struct {
	bytes int64 // bytes, for all pictures together
	share int64 // of one core: every picture takes at least this much
	busy  *semaphore.Weighted
}

func newWorkLimit() *workLimit {
	cores := int64(runtime.GOMAXPROCS(0))
	room := max(pictureMemory, cores*coreMemory)
	return &workLimit{bytes: room, share: room / cores, busy: semaphore.NewWeighted(room)}
}

// enter waits until work that takes that many bytes may begin.
func (g *workLimit) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	weight := min(max(bytes, g.share), g.bytes)
	if err := g.busy.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { g.busy.Release(weight) }, nil
}
