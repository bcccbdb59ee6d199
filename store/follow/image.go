package follow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"quire/store"
)

// An image is the data file of the leader, compressed with zstd, and the SHA-256 of the
// file behind it.

// WriteImage writes the image of a data file.
func WriteImage(to io.Writer, file io.Reader) error {
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(z, sum), file); err != nil {
		return errors.Join(err, z.Close())
	}
	_, err = z.Write(sum.Sum(nil))
	return errors.Join(err, z.Close())
}

// stall is how long nothing of an image may arrive.
const stall = 30 * time.Second

// Image implements [store.Imager].
func (j *Feed) Image(ctx context.Context, path string) (last store.Batch, err error) {
	begun := time.Now()
	s, err := j.leader.State(ctx)
	if err == nil {
		err = j.note(s) // a former leader, which does not know the last commit here, has an image too
	}
	if err != nil {
		return last, err
	}
	at, err := j.leader.Image(ctx, path)
	if err != nil {
		return last, err
	}
	j.mu.Lock()
	j.at, j.next = at, store.CommitID{}
	j.isCurrent(begun)
	j.mu.Unlock()
	return store.Batch{Position: at.Revision, Revision: at.Revision, Lineage: at.Lineage, Time: begun.UnixMilli()}, nil
}

// Image writes the data file of the leader to a new file. It returns the last commit in it.
func (l *Leader) Image(ctx context.Context, path string) (at store.CommitID, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := l.send(ctx, http.MethodGet, ImagePath, nil, nil)
	if err != nil {
		return at, err
	}
	defer response.Body.Close()
	size, err := strconv.ParseInt(response.Header.Get(ImageSize), 10, 64)
	if err != nil || size <= 0 {
		return at, fmt.Errorf("%w: an image without a size", errFrame)
	}
	lineage, bad := strconv.ParseUint(response.Header.Get(ImageLineage), 10, 64)
	revision, worse := strconv.ParseUint(response.Header.Get(ImageRevision), 10, 64)
	if bad != nil || worse != nil {
		return at, fmt.Errorf("%w: an image without a name", errFrame)
	}
	timer := time.AfterFunc(stall, cancel)
	defer timer.Stop()
	if err := readImage(path, size, &watched{response.Body, timer}); err != nil {
		return at, fmt.Errorf("the image of the leader at %s: %w", l, err)
	}
	return store.CommitID{Lineage: lineage, Revision: revision}, nil
}

// readImage writes the data file of an image to a new file.
func readImage(path string, size int64, from io.Reader) (err error) {
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(f, sum), z, size); err != nil {
		return err
	}
	var said [sha256.Size]byte
	if _, err := io.ReadFull(z, said[:]); err != nil {
		return err
	}
	if !bytes.Equal(said[:], sum.Sum(nil)) {
		return fmt.Errorf("%w: the image was damaged on the way", errFrame)
	}
	return nil
}

// watched is a body that must keep arriving.
type watched struct {
	io.Reader
	timer *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.timer.Reset(stall)
	return n, err
}
