package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"

	"quire/media"
)

// picture is drawn for the starter site: a plate on a table, seen from above.
type picture struct {
	Name  string   `json:"name"`
	Alt   string   `json:"alternativeText"`
	Table string   `json:"table"` // colours, "#8c6239"
	Plate string   `json:"plate"`
	Food  []string `json:"food"`
}

const pictureWidth, pictureHeight = 720, 480

// upload draws the picture and stores it like any other file.
func (p *picture) upload(ctx context.Context, library *media.Library) (documentID string, err error) {
	m, err := p.draw()
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 85}); err != nil {
		return "", err
	}
	u, err := library.Receive(ctx, &file, p.Name)
	if err != nil {
		return "", err
	}
	defer u.Discard()
	alt, err := json.Marshal(p.Alt)
	if err != nil {
		return "", err
	}
	u.Info = media.FileInfo{"alternativeText": alt}
	results, err := library.Save(ctx, []*media.Upload{u}, nil)
	if err != nil {
		return "", err
	}
	return results[0].DocumentID, nil
}

func (p *picture) draw() (*image.RGBA, error) {
	colours := make([]color.RGBA, 0, len(p.Food)+2)
	for _, text := range append([]string{p.Table, p.Plate}, p.Food...) {
		var c = color.RGBA{A: 255}
		if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
			return nil, fmt.Errorf("%q is not a colour", text)
		}
		colours = append(colours, c)
	}
	table, plate, food := colours[0], colours[1], colours[2:]
	m := &canvas{image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))}
	m.planks(table)
	const x, y, radius = pictureWidth / 2, pictureHeight / 2, pictureHeight * 0.42
	m.disc(x+6, y+10, radius, color.RGBA{A: 255}, 0.35) // its shadow
	m.disc(x, y, radius, plate, 1)
	m.disc(x, y, radius*0.72, shade(plate, 0.94), 1)
	m.disc(x, y, radius*0.70, plate, 1)
	m.serve(x, y, radius*0.58, food)
	return m.RGBA, nil
}

// canvas is a picture while it is drawn.
type canvas struct{ *image.RGBA }

// planks fills the canvas with a table of boards.
func (c *canvas) planks(wood color.RGBA) {
	const board = pictureHeight / 6
	for y := range pictureHeight {
		for x := range pictureWidth {
			grain := 0.03 * math.Sin(float64(x)/37+float64(y/board)*5+3*math.Sin(float64(y)/11))
			if y%board < 2 {
				grain -= 0.2
			}
			c.SetRGBA(x, y, shade(wood, 1+grain))
		}
	}
}

// serve lays round pieces on the plate as seeds lie in a sunflower: each a golden
// angle further round than the one before.
func (c *canvas) serve(x, y, radius float64, food []color.RGBA) {
	const pieces = 60
	golden := math.Pi * (3 - math.Sqrt(5))
	for i := range pieces {
		away, angle := radius*math.Sqrt(float64(i)/pieces), golden*float64(i)
		px, py := x+away*math.Cos(angle), y+away*math.Sin(angle)
		size := radius * (0.16 - 0.05*float64(i)/pieces)
		piece := food[i%len(food)]
		c.disc(px+2, py+3, size, color.RGBA{A: 255}, 0.25)
		c.disc(px, py, size, piece, 1)
		c.disc(px-size*0.3, py-size*0.3, size*0.35, shade(piece, 1.25), 0.6)
	}
}

// disc draws a disc with a soft edge over what is there.
func (c *canvas) disc(x, y, radius float64, ink color.RGBA, opacity float64) {
	box := image.Rect(int(x-radius)-1, int(y-radius)-1, int(x+radius)+2, int(y+radius)+2).Intersect(c.Rect)
	for py := box.Min.Y; py < box.Max.Y; py++ {
		for px := box.Min.X; px < box.Max.X; px++ {
			inside := radius - math.Hypot(float64(px)-x, float64(py)-y) + 0.5
			if cover := opacity * min(max(inside, 0), 1); cover > 0 {
				c.SetRGBA(px, py, mix(c.RGBAAt(px, py), ink, cover))
			}
		}
	}
}

func mix(a, b color.RGBA, part float64) color.RGBA {
	of := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part) }
	return color.RGBA{of(a.R, b.R), of(a.G, b.G), of(a.B, b.B), 255}
}

// shade makes a colour lighter or darker.
func shade(c color.RGBA, by float64) color.RGBA {
	of := func(v uint8) uint8 { return uint8(min(float64(v)*by, 255)) }
	return color.RGBA{of(c.R), of(c.G), of(c.B), 255}
}
