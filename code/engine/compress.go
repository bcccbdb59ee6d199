package engine

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// ofCompression are those of js/zlib.js.
var ofCompression = map[string]native{
	"compress": ofBytes(func(a arguments) ([]byte, error) { return compress(a.text(0), a.number(1), a.bytes(2)) }),
	"inflate":  ofBytes(func(a arguments) ([]byte, error) { return inflate(a.text(0), a.bytes(1)) }),
	"crc32":    func(_ *machine, a arguments) (any, error) { return float64(crc32.ChecksumIEEE(a.bytes(0))), nil },
}

// compress compresses bytes at a level from -1 to 9.
func compress(format string, level int, data []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch format {
	case "gzip":
		w, err = gzip.NewWriterLevel(&out, level)
	case "zlib":
		w, err = zlib.NewWriterLevel(&out, level)
	default:
		w, err = flate.NewWriter(&out, level)
	}
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// inflate is the opposite. The format "any" is gzip or zlib.
func inflate(format string, data []byte) ([]byte, error) {
	in := bufio.NewReader(bytes.NewReader(data))
	if head, _ := in.Peek(2); format == "any" {
		format = "zlib"
		if bytes.Equal(head, []byte{0x1f, 0x8b}) {
			format = "gzip"
		}
	}
	var r io.Reader
	var err error
	switch format {
	case "gzip":
		r, err = gzip.NewReader(in)
	case "zlib":
		r, err = zlib.NewReader(in)
	default:
		r = flate.NewReader(in)
	}
	if err != nil {
		return nil, inflateError(err)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxInflated+1))
	if len(out) > maxInflated {
		return nil, fmt.Errorf("ERR_BUFFER_TOO_LARGE: Cannot create a Buffer larger than %d bytes", maxInflated)
	}
	return out, inflateError(err)
}

// inflateError is an error as Node has it.
func inflateError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("Z_BUF_ERROR: unexpected end of file")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zlib.ErrHeader):
		return errors.New("Z_DATA_ERROR: incorrect header check")
	}
	return errors.New("Z_DATA_ERROR: invalid compressed data")
}
