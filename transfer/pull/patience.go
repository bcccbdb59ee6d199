package pull

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	mostTries   = 6           // in a row that bring too little
	enough      = 1 << 20     // bytes after which a broken connection is no failure
	longestWait = time.Minute // that a server may ask for
)

// cutError is a connection that was not made, or ended too early.
type cutError struct{ error }

func (e *cutError) Unwrap() error { return e.error }

// diskError is an error of the disk that a download is written to.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

func disk(err error) error {
	if err == nil || errors.Is(err, ErrBusy) {
		return err
	}
	return &diskError{err}
}

// StalledError is a server that sends nothing, or far too slowly.
type StalledError struct{ For time.Duration }

func (e *StalledError) Error() string {
	return fmt.Sprintf("the server sent nothing for %s, or less than %d bytes a second", e.For, leastPace)
}

// persist tries until it succeeds, with growing pauses. It gives up after an error that
// does not go away, and after several tries in a row that went badly.
func (r *Remote) persist(ctx context.Context, try func() (well bool, err error)) error {
	for failures := 0; ; {
		well, err := try()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		after, again := passing(err)
		if well {
			failures = 0
		}
		if failures++; !again || failures == mostTries {
			if cut := (*cutError)(nil); errors.As(err, &cut) {
				return cut.error // that it was cut off, only this package needs to know
			}
			return err
		}
		if err := r.pause(ctx, max(after, time.Second<<(failures-1))); err != nil {
			return err
		}
	}
}

// passing reports whether an error may go away by itself, and when to try again if the
// server says so.
func passing(err error) (after time.Duration, again bool) {
	if status, ok := errors.AsType[*StatusError](err); ok {
		again = status.Status == http.StatusTooManyRequests || status.Status >= 500
		return status.after, again
	}
	return 0, errors.As(err, new(*cutError)) && !errors.As(err, new(*tls.CertificateVerificationError))
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// watched is a body that must keep arriving.
type watched struct {
	body  io.Reader
	idle  time.Duration
	now   func() time.Time
	begun time.Time
	n     int64
	timer *time.Timer
}

// watch has a request cancelled when nothing of its response arrives for a while.
func (r *Remote) watch(body io.Reader, cancel func()) *watched {
	return &watched{body: body, idle: r.idle, now: r.now, begun: r.now(), timer: time.AfterFunc(r.idle, cancel)}
}

func (w *watched) end() { w.timer.Stop() }

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	w.n += int64(n)
	late := !w.timer.Reset(w.idle) || w.now().Sub(w.begun) > w.idle+time.Duration(w.n)*time.Second/leastPace
	switch {
	case late:
		return n, &cutError{&StalledError{w.idle}}
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF // whoever has all of it reads no further
	}
	if err != nil {
		return n, &cutError{fmt.Errorf("the download broke off, and the next run continues it: %w", err)}
	}
	return n, nil
}
