package media

import (
	"fmt"
	"io"
)

// remote is a file of a storage that is being read, from one or several offsets.
type remote struct {
	size  int64
	ask   func(at int64) (io.ReadCloser, error)
	fault func(error) error
	at    int64
	body  io.ReadCloser // of the response with the content at at; nil before the request
}

// Remote returns a file of a size in bytes that another machine stores. When it is read, ask
// requests the content from an offset to the end: again after a seek or an error. fault translates
// errors of reading; those of ask stay as they are.
func Remote(size int64, ask func(at int64) (io.ReadCloser, error), fault func(error) error) io.ReadSeekCloser {
	return &remote{size: size, ask: ask, fault: fault}
}

func (r *remote) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.body == nil {
		body, err := r.ask(r.at)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.size-r.at)])
	r.at += int64(n)
	switch {
	case err == io.EOF && r.at < r.size:
		err = io.ErrUnexpectedEOF
	case err == io.EOF || err == nil:
		return n, nil
	}
	_ = r.Close() // a later read sends a new request for the rest
	return n, r.fault(err)
}

// Seek sets the offset of the next read, which sends the request.
func (r *remote) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("there is nothing at %d", offset)
	}
	if offset != r.at {
		if err := r.Close(); err != nil {
			return 0, err
		}
	}
	r.at = offset
	return offset, nil
}

func (r *remote) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}
