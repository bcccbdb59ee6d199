package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"

	"quire/media"
)

// object is a file of a bucket that is being read, from one or several offsets.
type object struct {
	ctx  context.Context
	of   *Bucket
	name string
	size int64
	at   int64
	body io.ReadCloser // of the response with the content at at; nil before the request
}

// Open checks that the file exists. Its content is requested when it is read.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	about, err := b.Stat(ctx, name)
	if err != nil {
		return nil, media.Object{}, err
	}
	return &object{ctx: ctx, of: b, name: name, size: about.Size}, about, nil
}

func (o *object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if o.body == nil {
		if err := o.ask(); err != nil {
			return 0, err
		}
	}
	n, err := o.body.Read(p[:min(int64(len(p)), o.size-o.at)])
	o.at += int64(n)
	switch {
	case err == io.EOF && o.at < o.size:
		err = io.ErrUnexpectedEOF
	case err == io.EOF || err == nil:
		return n, nil
	}
	_ = o.Close() // a later read sends a new request for the rest
	return n, o.of.fault(o.ctx, o.name, err)
}

// ask requests the file from the current offset to its end.
func (o *object) ask() error {
	var options minio.GetObjectOptions
	if err := options.SetRange(o.at, o.size-1); err != nil {
		return err
	}
	body, about, _, err := o.of.core.GetObject(o.ctx, o.of.at.Name(), o.of.key(o.name), options)
	if err != nil {
		return o.of.fault(o.ctx, o.name, err)
	}
	if about.Size != o.size-o.at {
		return errors.Join(o.of.unreachable(fmt.Errorf("it has %d bytes of %s instead of %d", about.Size, o.name, o.size-o.at)), body.Close())
	}
	o.body = body
	return nil
}

// Seek sets the offset of the next read, which sends the request.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("there is nothing at %d", offset)
	}
	if offset != o.at {
		if err := o.Close(); err != nil {
			return 0, err
		}
	}
	o.at = offset
	return offset, nil
}

func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	body := o.body
	o.body = nil
	return body.Close()
}
