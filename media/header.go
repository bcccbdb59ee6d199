package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// header is what the header of a picture says in addition to its size.
type header struct {
	turn        turn
	samples     float64 // JPEG: of all components, for each pixel
	progressive bool    // JPEG
	converted   bool    // JPEG: not stored as brightness and colour, so it is copied into another picture
	framed      bool    // JPEG: the only frame was read
	interlaced  bool    // PNG
	transparent bool    // PNG: one colour is transparent, so that gray is stored as colours
	lossless    bool    // WebP
	lossyBytes  int64   // WebP: of the lossy part
}

// maxSegments limits how many parts of a file are examined. The rest is assumed to have the
// highest cost.
const maxSegments = 4096

// maxEXIF limits the EXIF data that is read, in bytes. JPEG cannot have more.
const maxEXIF = 64 << 10

// readHeader reads as much as it can; an invalid part ends it. It sees the same as the
// decoders: a picture must not seem smaller to it than to them.
func readHeader(kind string, r io.ReaderAt, size int64) header {
	h := header{turn: upright, samples: 3, lossless: true}
	in := bufio.NewReader(io.NewSectionReader(r, 0, size))
	switch kind {
	case "image/jpeg":
		h.readJPEG(in)
	case "image/png":
		h.readPNG(in)
	case "image/webp":
		h.readWebP(in)
	}
	return h
}

// errEnd reports that there is nothing more to read.
var errEnd = errors.New("end of header")

// readJPEG goes through all segments: those that say how a picture is stored may be between
// its parts.
func (h *header) readJPEG(in *bufio.Reader) {
	var start [2]byte
	if _, err := io.ReadFull(in, start[:]); err != nil || start != [2]byte{0xFF, 0xD8} {
		return
	}
	for range maxSegments {
		if h.readSegment(in) != nil {
			return
		}
	}
	h.samples, h.progressive, h.converted = maxSamples, true, true
}

// maxSamples is the number of samples of four components that are all sampled alike.
const maxSamples = 4

func (h *header) readSegment(in *bufio.Reader) error {
	marker, err := nextMarker(in)
	switch {
	case err != nil:
		return err
	case marker == 0xD9:
		return errEnd
	}
	var length [2]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint16(length[:])) - 2
	if n < 0 {
		return errEnd
	}
	switch marker {
	case 0xC0, 0xC1, 0xC2, 0xE1, 0xEE:
		content := make([]byte, n)
		_, err := io.ReadFull(in, content)
		h.segment(marker, content)
		return err
	}
	_, err = in.Discard(n)
	return err
}

// segment reads a frame, EXIF data or the segment of Adobe's programs.
func (h *header) segment(marker byte, content []byte) {
	switch marker {
	case 0xE1:
		if exif, ok := bytes.CutPrefix(content, []byte("Exif\x00\x00")); ok && h.turn == upright {
			h.turn = readTurn(exif)
		}
	case 0xEE:
		if adobe, ok := bytes.CutPrefix(content, []byte("Adobe")); ok && len(adobe) >= 7 && adobe[6] == 0 {
			h.converted = true
		}
	default:
		if !h.framed {
			h.framed, h.progressive = true, marker == 0xC2
			h.frame(content)
		}
	}
}

// nextMarker reads up to and including the byte that names a segment. It skips what
// precedes it, as decoders do: the picture itself, and anything that does not belong there.
func nextMarker(in *bufio.Reader) (byte, error) {
	for {
		if _, err := in.ReadSlice(0xFF); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, err
		} else if err != nil {
			continue
		}
		b, err := in.ReadByte()
		for err == nil && b == 0xFF {
			b, err = in.ReadByte()
		}
		if err != nil || b != 0 && (b < 0xD0 || b > 0xD7) { // these have no content
			return b, err
		}
	}
}

// frame reads the components of a JPEG: 3 samples for each pixel if colours are sampled as
// finely as brightness, 1.5 if half as finely in both directions.
func (h *header) frame(content []byte) {
	if len(content) < 6 || len(content) < 6+3*int(content[5]) {
		return
	}
	sum, widest, highest := 0, 1, 1
	var names []byte
	for component := range int(content[5]) {
		at := content[6+3*component:]
		across, down := int(at[1]>>4), int(at[1]&15)
		sum += across * down
		widest, highest = max(widest, across), max(highest, down)
		names = append(names, at[0])
	}
	h.samples = float64(sum) / float64(widest*highest)
	h.converted = h.converted || len(names) == 4 || string(names) == "RGB"
}

// readPNG goes through the chunks: length, type, content, checksum.
func (h *header) readPNG(in *bufio.Reader) {
	var first [8 + 8 + 13 + 4]byte // signature and the chunk IHDR
	if _, err := io.ReadFull(in, first[:]); err != nil {
		return
	}
	h.interlaced = first[8+8+12] != 0
	for range maxSegments {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		n := int64(binary.BigEndian.Uint32(head[:4]))
		switch string(head[4:]) {
		case "tRNS":
			h.transparent = true
		case "eXIf":
			n -= h.readEXIF(in, n)
		}
		if _, err := io.CopyN(io.Discard, in, n+4); err != nil {
			return
		}
	}
	h.transparent = true
}

// readWebP goes through the chunks: type, length, content, padded to even length.
func (h *header) readWebP(in *bufio.Reader) {
	if _, err := in.Discard(12); err != nil { // RIFF, length, WEBP
		return
	}
	for range maxSegments {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		padding := n % 2
		switch string(head[:4]) {
		case "VP8 ":
			h.lossless, h.lossyBytes = false, max(h.lossyBytes, n)
		case "EXIF":
			n -= h.readEXIF(in, n)
		}
		if _, err := io.CopyN(io.Discard, in, n+padding); err != nil {
			return
		}
	}
	h.lossyBytes = maxLossy
}

// maxLossy is the maximum that the decoder reads of a lossy WebP picture.
const maxLossy = 8 << 24

func (h *header) readEXIF(in io.Reader, n int64) (read int64) {
	exif, err := io.ReadAll(io.LimitReader(in, min(n, maxEXIF)))
	read = int64(len(exif))
	if err == nil {
		exif = bytes.TrimPrefix(exif, []byte("Exif\x00\x00")) // some programs write it here too
		h.turn = readTurn(exif)
	}
	return read
}
