//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// guide writes a food guide as lines for an import: a chef for every hundred
// restaurants, 50 categories, two reviews for each restaurant up to 20,000. The
// same size gives the same bytes.
type guide struct {
	out    *bufio.Writer
	random *rand.Rand
	err    error

	lines                          int
	categories, chefs, restaurants []string // documentIds
	published                      []string // of the restaurants
}

func writeGuide(w io.Writer, restaurants int) (*guide, error) {
	g := &guide{out: bufio.NewWriterSize(w, 1<<20), random: rand.New(rand.NewPCG(7, 7))}
	for i := range 50 {
		g.categories = append(g.categories, g.line("category", "published", map[string]any{"name": fmt.Sprintf("Category %02d %s", i, words[i%len(words)]), "code": i}))
	}
	for range max(1, restaurants/100) {
		g.chefs = append(g.chefs, g.line("chef", "published", map[string]any{"name": g.title(), "bio": g.text(20), "born": g.date(1940, 60)}))
	}
	for i := range restaurants {
		g.restaurant(i)
	}
	for range min(2*restaurants, 20_000) {
		g.line("review", "published", map[string]any{"content": g.text(12), "note": g.random.IntN(11), "restaurant": one(g.random, g.restaurants)})
	}
	if g.err == nil {
		g.err = g.out.Flush()
	}
	return g, g.err
}

// restaurant writes one. Every tenth is only a draft.
func (g *guide) restaurant(i int) {
	r := g.random
	data := map[string]any{
		"name": fmt.Sprintf("%s %d", g.title(), i), "slug": fmt.Sprintf("r-%d", i), "tagline": g.text(8), "story": g.text(60),
		"price_tier": one(r, []string{"p1", "p2", "p2", "p3", "p4"}), "rating": float64(100+r.IntN(401)) / 100, "seats": fmt.Sprint(8 + r.IntN(393)),
		"vegan": r.IntN(5) == 0, "email": fmt.Sprintf("r%d@example.org", i), "founded": g.date(1900, 126), "opens_at": fmt.Sprintf("%02d:30:00", 6+r.IntN(15)),
		"meta":       map[string]any{"rank": i, "tags": strings.Fields(g.text(3))},
		"categories": g.someCategories(), "chef": one(r, g.chefs),
		"location": map[string]any{"street": fmt.Sprintf("%d %s street", 1+r.IntN(300), one(r, words)), "city": one(r, cities),
			"geo": map[string]any{"lat": float64(r.IntN(2_400_000))/1e5 + 36, "lng": float64(r.IntN(2_900_000))/1e5 - 9}},
		"opening_hours": g.hours(),
		"seo":           map[string]any{"meta_title": g.text(4), "meta_description": g.text(12)},
	}
	if stars := r.IntN(8) - 1; stars >= 0 {
		data["stars"] = min(stars, 5)
	}
	if r.IntN(2) == 0 {
		data["sections"] = []any{map[string]any{"__component": "section.quote", "text": g.text(15), "by": g.title()}}
	}
	status := "published"
	if i%10 == 9 {
		status = "draft"
	}
	id := g.line("restaurant", status, data)
	g.restaurants = append(g.restaurants, id)
	if status == "published" {
		g.published = append(g.published, id)
	}
}

// line writes one document and returns its documentId.
func (g *guide) line(kind, status string, data map[string]any) (id string) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	letters := make([]byte, 24)
	for i := range letters {
		letters[i] = alphabet[g.random.IntN(len(alphabet))]
	}
	letters[0] = alphabet[g.random.IntN(26)]
	id = string(letters)
	text, err := json.Marshal(map[string]any{"type": "api::" + kind + "." + kind, "documentId": id, "status": status, "data": data})
	if err == nil {
		_, err = g.out.Write(append(text, '\n'))
	}
	if g.err == nil {
		g.err = err
	}
	g.lines++
	return id
}

func (g *guide) someCategories() []string {
	some := make([]string, 1+g.random.IntN(3))
	for i, at := range g.random.Perm(len(g.categories))[:len(some)] {
		some[i] = g.categories[at]
	}
	return some
}

func (g *guide) hours() (hours []any) {
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri"}[:1+g.random.IntN(5)] {
		hours = append(hours, map[string]any{"day": day, "opens": "10:00:00", "closes": "22:00:00"})
	}
	return hours
}

func (g *guide) text(n int) string {
	some := make([]string, n)
	for i := range some {
		some[i] = one(g.random, words)
	}
	return strings.Join(some, " ")
}

func (g *guide) title() string {
	a, b := one(g.random, words), one(g.random, words)
	return strings.ToUpper(a[:1]) + a[1:] + " " + strings.ToUpper(b[:1]) + b[1:]
}

func (g *guide) date(from, years int) string {
	return fmt.Sprintf("%d-%02d-%02d", from+g.random.IntN(years), 1+g.random.IntN(12), 1+g.random.IntN(28))
}

func one(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

var (
	words  = strings.Fields("amber basil cedar dune ember fig grove harbor iris juniper kelp lemon maple nectar olive pepper quince river saffron thyme umber vine willow yarrow zest")
	cities = strings.Fields("Paris Rome Lyon Milan Nice Porto Ghent Basel Turin Lille Oslo Cadiz")
)
