package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// pictureMaker makes derived pictures on request: each once, for any number of concurrent
// requests, and a limited number at once. It stores them on a cache. It lives as long as
// its Folder.
type pictureMaker struct {
	folder   *Folder
	cache    *pictureCache
	failures *pictureFailures
	flights  singleflight.Group
	asking   *semaphore.Weighted // requests that wait for a picture, perhaps several for the same one
	places   chan struct{}       // of pictures in progress or waiting
	makers   *semaphore.Weighted // leaves free processors for uploads
	made     func()              // called when a picture is begun; for tests
	counts   pictureCounts

	ended context.Context
	end   context.CancelFunc
	busy  sync.WaitGroup
}

const (
	// mostWaiting limits the pictures that are in progress or waiting.
	mostWaiting = 64

	// mostAsking limits the requests that wait for a picture, so that they do not use up
	// all requests in progress.
	mostAsking = 1000

	// longestWait is the maximum time a picture may wait to be made.
	longestWait = 20 * time.Second
)

func newPictureMaker(f *Folder) *pictureMaker {
	s := &pictureMaker{folder: f, cache: newPictureCache(f.path), failures: newPictureFailures(), places: make(chan struct{}, mostWaiting), made: func() {}}
	s.asking = semaphore.NewWeighted(mostAsking)
	s.makers = semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2)))
	s.ended, s.end = context.WithCancel(context.Background())
	return s
}

// close gives up the waiting pictures, and waits for those in progress.
func (s *pictureMaker) close() {
	s.end()
	s.busy.Wait()
}

// DerivedPicture is a derived picture: a file, which the caller must close, or its bytes if there was
// no space to store them.
type DerivedPicture struct {
	File *os.File
	Data []byte
}

// Make makes the picture, unless it exists. A request that goes away does not affect others
// for the same picture. Errors: ErrNotFound if the original has been removed since,
// ErrBusy, a *PictureError, the context's, and the file system's.
func (l *Library) Make(ctx context.Context, p *Picture) (made *DerivedPicture, err error) {
	s := l.folder.pictures
	defer func() { // Count a response without a picture by its reason. Clients that went away are not counted.
		switch {
		case errors.Is(err, ErrBusy):
			s.counts.refused.Add(1)
		case errors.As(err, new(*PictureError)):
			s.counts.failed.Add(1)
		}
	}()
	for range 3 { // an existing picture may be removed for others before it is opened
		if file := s.cache.open(p.file()); file != nil {
			s.counts.kept.Add(1)
			return &DerivedPicture{File: file}, nil
		}
		if err := s.failures.reason(p); err != nil {
			return nil, err
		}
		data, err := s.await(ctx, p)
		if err != nil {
			return nil, err
		}
		if file := s.cache.open(p.file()); file != nil {
			return &DerivedPicture{File: file}, nil
		}
		if data != nil {
			return &DerivedPicture{Data: data}, nil
		}
	}
	return nil, ErrBusy
}

// await waits until a picture has been made, unless too many are waiting. The bytes are nil
// if it existed.
func (s *pictureMaker) await(ctx context.Context, p *Picture) ([]byte, error) {
	if !s.asking.TryAcquire(1) {
		return nil, ErrBusy
	}
	defer s.asking.Release(1)
	flight := s.flights.DoChan(p.file(), func() (any, error) { return s.make(p) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-flight:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.([]byte), nil
	}
}

// make makes a picture and stores it, if there is space. The bytes are nil if it already
// existed.
func (s *pictureMaker) make(p *Picture) (data []byte, err error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		return nil, ErrBusy
	}
	s.busy.Add(1)
	defer s.busy.Done()
	defer recoverPicture(&err)
	if s.cache.has(p.file()) { // since a moment ago
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(s.ended, longestWait)
	defer cancel()
	if s.makers.Acquire(ctx, 1) != nil {
		return nil, ErrBusy
	}
	defer s.makers.Release(1)
	if err = s.failures.reason(p); err != nil { // since it began to wait
		return nil, err
	}
	s.made()
	if data, err = s.produce(ctx, p); err != nil {
		err = explainPicture(err)
		s.failures.remember(p, err)
		return nil, err
	}
	s.counts.made.Add(1)
	s.cache.put(p.file(), data, p.cache)
	return data, nil
}

// unreadable is the reason shown to clients for a file that no codec can read.
const unreadable = "The file cannot be read as a picture"

// explainPicture returns the reason for clients why there is no picture.
func explainPicture(err error) error {
	explained, broken := new(PictureError), new(pictureError)
	switch {
	case errors.As(err, &explained):
		return explained
	case errors.As(err, &broken):
		return &PictureError{Reason: unreadable, Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotFound
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return ErrBusy
	}
	return err
}

// produce reads the original and makes the picture, within the memory for pictures.
func (s *pictureMaker) produce(ctx context.Context, p *Picture) ([]byte, error) {
	file, err := s.folder.original(ctx, p.of)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	o, err := readOriginal(file, p.kind)
	if err != nil {
		return nil, err
	}
	v := p.ask.view(o.header.turn.size(o.config.Width, o.config.Height), p.focal)
	memory := o.pictureCost(v, p).most()
	if memory > pictureMemory {
		return nil, &PictureError{Reason: fmt.Sprintf("The picture would take more than %d MiB of memory to make; ask for a smaller one, or for another format", pictureMemory>>20)}
	}
	leave, err := s.folder.work.enter(ctx, memory)
	if err != nil {
		return nil, err
	}
	defer leave()
	return o.picture(v, p.ask)
}

// readOriginal reads the beginning of a picture.
func readOriginal(file *os.File, kind string) (*original, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	o := &original{codec: codecs[kind], file: io.NewSectionReader(file, 0, info.Size())}
	if o.config, err = o.codec.readConfig(o.rewound()); err != nil {
		return nil, err
	}
	o.header = readHeader(kind, o.file, o.file.Size())
	return o, nil
}

// picture decodes the original, takes the requested part, and encodes it.
func (o *original) picture(v crop, a Ask) ([]byte, error) {
	small, err := o.part(v)
	if err != nil {
		return nil, err
	}
	size := o.header.turn.size(v.size.X, v.size.Y)
	m := o.header.turn.apply(resize(shrink(small, size), size))
	var out bytes.Buffer
	if err = encodeAs(&out, m, a); err != nil {
		return nil, &PictureError{Reason: fmt.Sprintf("The picture cannot be written as %s; ask for another format", a.Format), Err: err}
	}
	return out.Bytes(), nil
}

// part decodes the original and shrinks the requested part to little more than the needed
// size.
func (o *original) part(v crop) (image.Image, error) {
	m, err := o.decode()
	if err != nil {
		return nil, err
	}
	t, b := o.header.turn, m.Bounds()
	cut := t.stored(v.cut, image.Pt(o.config.Width, o.config.Height)).Add(b.Min).Intersect(b)
	parts, ok := m.(interface {
		SubImage(image.Rectangle) image.Image
	})
	if !ok || cut.Empty() {
		return nil, &pictureError{fmt.Errorf("no part %v of a %T of %v", v.cut, m, b)}
	}
	return shrink(parts.SubImage(cut), t.size(v.size.X, v.size.Y)), nil
}

// encodeAs writes a picture in the requested format, without any metadata. JPEG is white
// where the original was transparent.
func encodeAs(w io.Writer, m *image.RGBA, a Ask) (err error) {
	defer recoverPicture(&err)
	switch a.Format {
	case "jpeg":
		whiten(m)
		return writeJPEG(w, m, a.Quality)
	case "png":
		return encodePNG(w, m, nil)
	}
	return writeWebP(w, m, a.Quality)
}

func whiten(m *image.RGBA) {
	for i := 0; i < len(m.Pix); i += 4 {
		if rest := 255 - m.Pix[i+3]; rest > 0 {
			m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = m.Pix[i]+rest, m.Pix[i+1]+rest, m.Pix[i+2]+rest, 255
		}
	}
}

// pictureCost returns the maximum memory for making a picture.
func (o *original) pictureCost(v crop, p *Picture) (c cost) {
	decoding, held := o.codec.memory(o.config, &o.header)
	t := o.header.turn
	part, size := t.size(v.cut.Dx(), v.cut.Dy()), t.size(v.size.X, v.size.Y)
	c.decoding = decoding + buffers
	small := shrunk(part, size)
	if small != part {
		c.shrinking = held + shrinkCost(part, small) + buffers
		held = 4 * area(small)
	}
	c.formats = []int64{held + formatCost(small, size, 0) + o.encodingCost(size, p.ask) + buffers}
	return c
}

// encodingCost returns the memory for encoding a picture of that size, including its
// growing bytes.
func (o *original) encodingCost(size image.Point, a Ask) int64 {
	blocks := image.Pt((size.X+15)&^15, (size.Y+15)&^15)
	switch {
	case a.Format == "jpeg":
		return 10 * area(blocks)
	case a.Format == "png":
		return 16 * area(size)
	case o.mayBeTransparent():
		return (codecs["image/webp"].encoding + 16) * area(size)
	case a.Quality <= 80:
		return 42 * area(blocks)
	}
	return 64 * area(blocks)
}

// mayBeTransparent reports whether the picture can be transparent somewhere, by its header.
func (o *original) mayBeTransparent() bool {
	switch o.config.ColorModel {
	case color.YCbCrModel, color.CMYKModel:
		return false
	case color.GrayModel, color.Gray16Model, color.RGBAModel, color.RGBA64Model:
		return o.header.transparent
	}
	return true
}

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
