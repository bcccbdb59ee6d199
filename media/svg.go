package media

import (
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
)

// svgHead is the maximum offset in a file at which its root element must begin and end, in
// bytes.
const svgHead = 64 << 10

// maxSide is the maximum accepted side in pixels.
const maxSide = 1 << 20

// svgSize returns the size in pixels at which a browser shows a drawing: its width and
// height, or those of its viewBox if it has none. It is 0, 0 if it has neither.
func svgSize(r io.Reader) (width, height int) {
	root, ok := svgRoot(r)
	if !ok {
		return 0, 0
	}
	w, h := pixels(svgAttribute(root, "width")), pixels(svgAttribute(root, "height"))
	boxWidth, boxHeight := viewBox(svgAttribute(root, "viewBox"))
	switch {
	case w == 0 && h == 0:
		w, h = boxWidth, boxHeight
	case w == 0 && boxHeight > 0:
		w = h * boxWidth / boxHeight
	case h == 0 && boxWidth > 0:
		h = w * boxHeight / boxWidth
	}
	if !isSide(w) || !isSide(h) {
		return 0, 0
	}
	return int(math.Round(w)), int(math.Round(h))
}

func isSide(n float64) bool { return n >= 0.5 && n <= maxSide }

func svgRoot(r io.Reader) (xml.StartElement, bool) {
	d := xml.NewDecoder(io.LimitReader(r, svgHead))
	d.Strict = false
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := d.RawToken()
		if err != nil {
			return xml.StartElement{}, false
		}
		if start, ok := token.(xml.StartElement); ok {
			return start, start.Name.Local == "svg"
		}
	}
}

func svgAttribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// unitPixels is the number of pixels of a CSS unit.
var unitPixels = map[string]float64{"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}

// pixels reads a length; 0 if it is invalid, or depends on its surroundings.
func pixels(length string) float64 {
	number := strings.TrimRight(length, "abcdefghijklmnopqrstuvwxyz%")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0
	}
	return n * unitPixels[length[len(number):]]
}

// viewBox reads "min-x min-y width height".
func viewBox(text string) (width, height float64) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' || r == '\r' })
	if len(parts) != 4 {
		return 0, 0
	}
	return pixels(parts[2]), pixels(parts[3])
}
