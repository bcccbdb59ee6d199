package media

import (
	"errors"
	"io/fs"
	"sync"
	"time"
)

// pictureFailures remembers which pictures could not be made, so that a broken file is not decoded
// again and again. A file that cannot be read is remembered for all pictures of it; a file
// that replaces it has another name. It is safe for use by many goroutines.
type pictureFailures struct {
	mu    sync.Mutex
	by    map[string]pictureFailure // by names of originals, and of pictures on the cache
	order []string                  // the same names, the oldest first
	now   func() time.Time
}

// pictureFailure is why there is no picture, and since when that is known.
type pictureFailure struct {
	err *PictureError
	at  time.Time
}

const (
	// mostFailures limits the remembered failures.
	mostFailures = 10_000

	// rememberedFor is how long a failure is remembered: its cause may have been a fault of
	// the disk.
	rememberedFor = 10 * time.Minute
)

func newPictureFailures() *pictureFailures {
	return &pictureFailures{by: map[string]pictureFailure{}, now: time.Now}
}

// reason returns why the picture could not be made recently; nil if nothing is known.
func (u *pictureFailures) reason(p *Picture) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, name := range []string{p.of, p.file()} {
		if f, ok := u.by[name]; ok && u.now().Sub(f.at) < rememberedFor {
			return f.err
		}
	}
	return nil
}

// remember stores the outcome of making a picture, if it would be the same the next time. A
// disk that could not be read may work again.
func (u *pictureFailures) remember(p *Picture, err error) {
	refused, disk, name := new(PictureError), new(fs.PathError), p.file()
	if !errors.As(err, &refused) || refused.Err == nil || errors.As(err, &disk) {
		return
	}
	if refused.Reason == unreadable {
		name = p.of
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.by[name]; !ok {
		u.order = append(u.order, name)
	}
	u.by[name] = pictureFailure{refused, u.now()}
	if len(u.order) > mostFailures {
		delete(u.by, u.order[0])
		u.order = u.order[1:]
	}
}
