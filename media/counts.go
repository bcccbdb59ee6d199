package media

import (
	"errors"
	"sync/atomic"
)

// PictureCounts counts requests for derived pictures since the folder was opened.
type PictureCounts struct {
	Made    uint64 // pictures that were made
	Kept    uint64 // responses with an existing picture
	Refused uint64 // responses with ErrBusy: too many pictures were waiting
	Failed  uint64 // responses with a *PictureError: the file has no such picture
	Waiting int    // pictures in progress or waiting
}

// PictureCounts reads the counts of the folder; zero if the library has no folder.
func (l *Library) PictureCounts() PictureCounts {
	if l.folder == nil {
		return PictureCounts{}
	}
	s := l.folder.pictures
	return PictureCounts{s.counts.made.Load(), s.counts.kept.Load(), s.counts.refused.Load(), s.counts.failed.Load(), len(s.places)}
}

// pictureCounts are the counters of a pictureMaker.
type pictureCounts struct {
	made, kept, refused, failed atomic.Uint64
}

// answered counts a response without a picture by its reason. Clients that went away are
// not counted.
func (c *pictureCounts) answered(err error) {
	switch {
	case errors.Is(err, ErrBusy):
		c.refused.Add(1)
	case errors.As(err, new(*PictureError)):
		c.failed.Add(1)
	}
}
