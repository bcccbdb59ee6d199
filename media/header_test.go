package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
	"testing"
)

// segment is one of a JPEG file.
func segment(marker byte, content ...byte) []byte {
	return append([]byte{0xFF, marker, byte((len(content) + 2) >> 8), byte(len(content) + 2)}, content...)
}

// frame says that a JPEG of 8000×8000 pixels has so many components, all sampled
// alike.
func frame(marker byte, components int) []byte {
	content := []byte{8, 8000 >> 8, 8000 & 0xFF, 8000 >> 8, 8000 & 0xFF, byte(components)}
	for i := range components {
		content = append(content, byte(i+1), 0x11, 0)
	}
	return segment(marker, content...)
}

// However a JPEG is put together, it is let in for no less than what decoding it
// takes: bytes that do not belong there, and segments that stand elsewhere than
// usual, hide nothing.
func TestMemoryOfOddJPEGs(t *testing.T) {
	const (
		baseline    = 3
		progressive = 3 * 5
		converted   = 3 + 4
	)
	start, scan, end := []byte{0xFF, 0xD8}, segment(0xDA, 1, 1, 0, 0, 63, 0), []byte{0xFF, 0xD9}
	adobe := segment(0xEE, append([]byte("Adobe"), make([]byte, 7)...)...)
	decoy := frame(0xC0, 1)
	hidden := append([]byte{0xFF, 0x00, 0, byte(len(frame(0xC2, 3)) + 2)}, frame(0xC2, 3)...)
	for name, test := range map[string]struct {
		parts  [][]byte
		pixels int64 // bytes for each
	}{
		"a usual one":                           {[][]byte{start, frame(0xC0, 3), scan, end}, baseline},
		"a progressive one":                     {[][]byte{start, frame(0xC2, 3), scan, end}, progressive},
		"one of red, green and blue":            {[][]byte{start, adobe, frame(0xC0, 3), scan, end}, converted},
		"a stray byte before the frame":         {[][]byte{start, {0}, frame(0xC2, 3), scan, end}, progressive},
		"a frame behind what is no marker":      {[][]byte{start, hidden, scan, end}, progressive},
		"a decoy behind the frame":              {[][]byte{start, frame(0xC2, 3), scan, decoy, end}, progressive},
		"fill bytes and restarts":               {[][]byte{start, {0xFF, 0xD0, 0xFF, 0xFF}, frame(0xC2, 3)[1:], scan, end}, progressive},
		"the colours said behind the picture":   {[][]byte{start, frame(0xC0, 3), scan, {1, 0xFF, 0, 2, 0xFF, 0xD1}, adobe, end}, converted},
		"more segments than are ever looked at": {[][]byte{start, frame(0xC0, 3), bytes.Repeat(segment(0xE2), maxSegments), adobe, scan, end}, converted},
	} {
		data := slices.Concat(test.parts...)
		c := codecs["image/jpeg"]
		config, err := c.readConfig(bytes.NewReader(data))
		check(t, err)
		h := readHeader("image/jpeg", bytes.NewReader(data), int64(len(data)))
		decoding, _ := c.memory(config, &h)
		if got, want := decoding, test.pixels*8000*8000; got < want || name == "a usual one" && got != want {
			t.Errorf("%s is let in for %d bytes and takes %d", name, got, want)
		}
	}
}

// A WebP file that says its size beforehand may hold either kind of picture.
func TestMemoryOfExtendedWebP(t *testing.T) {
	lossless := encoded(t, "image/webp", drawn(250, 200))
	at := bytes.Index(lossless, []byte("VP8L"))
	size := []byte{249, 0, 0, 199, 0, 0}
	extended := slices.Concat([]byte("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00"), size, lossless[at:])
	file := slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(extended)+4)), []byte("WEBP"), extended)
	c := codecs["image/webp"]
	config, err := c.readConfig(bytes.NewReader(file))
	check(t, err)
	m, err := c.read(bytes.NewReader(file), config)
	check(t, err)
	h := readHeader("image/webp", bytes.NewReader(file), int64(len(file)))
	if decoding, _ := c.memory(config, &h); m.Bounds() != image.Rect(0, 0, 250, 200) || decoding < 8*250*200 {
		t.Errorf("%v is let in for %d bytes", m.Bounds(), decoding)
	}
}
