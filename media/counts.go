package media

import (
	"errors"
	"sync/atomic"
)

// PictureCounts is what was done about pictures that are made when they are asked for, since
// the folder was opened.
type PictureCounts struct {
	Made    uint64 // pictures that were made
	Kept    uint64 // answers with one that was there
	Refused uint64 // answers ErrBusy: too much was to be done
	Failed  uint64 // answers with a *PictureError: there is no such picture of the file
	Waiting int    // pictures that are being made, or wait to be
}

// PictureCounts reads what was done about pictures of the folder; nothing, where the library
// has none.
func (l *Library) PictureCounts() PictureCounts {
	if l.folder == nil {
		return PictureCounts{}
	}
	s := l.folder.pictures
	return PictureCounts{s.counts.made.Load(), s.counts.kept.Load(), s.counts.refused.Load(), s.counts.failed.Load(), len(s.places)}
}

// pictureCounts are the counters of a studio.
type pictureCounts struct{ made, kept, refused, failed atomic.Uint64 }

// answered counts an answer without a picture by why there is none. Those who went away are
// not counted.
func (c *pictureCounts) answered(err error) {
	switch {
	case errors.Is(err, ErrBusy):
		c.refused.Add(1)
	case errors.As(err, new(*PictureError)):
		c.failed.Add(1)
	}
}
