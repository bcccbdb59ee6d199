//go:build linux

package main

import (
	"math"
	"slices"
)

// judged is a search of which a person said what should be found: titles, the best first. All
// others are worth nothing.
type judged struct {
	locale, q string
	titles    []string
}

var judgements = []judged{
	{"en", "dog", []string{"dog, domestic dog, Canis familiaris"}},
	{"en", "coffe shop", []string{"cafe, coffeehouse, coffee shop, coffee bar"}},
	{"en", "running shoes", []string{"running shoe"}},
	{"en", "capital of france", []string{"Paris, City of Light, French capital, capital of France"}},
	{"en", "president united states", []string{"President of the United States, United States President, President, Chief Executive", "President of the United States, President, Chief Executive"}},
	{"en", "apple trees", []string{"apple tree", "apple, orchard apple tree, Malus pumila", "apple orchard"}},
	{"en", "fear of spiders", []string{"arachnophobia"}},
	{"en", "albert einstien", []string{"Einstein, Albert Einstein"}},
	{"en", "telefone booth", []string{"telephone booth, phone booth, call box, telephone box, telephone kiosk"}},
	{"en", "guitar", []string{"guitar", "guitarist, guitar player", "guitar pick"}},
	{"de", "hund", []string{"Hund", "Hundegesicht", "Blindenhund", "Assistenzhund"}},
	{"de", "kuchen", []string{"Kuchen", "Pfannkuchen", "Geburtstagskuchen", "Mondkuchen", "Torte"}},
	{"de", "rotes herz", []string{"rotes Herz"}},
	{"de", "äpfel", []string{"roter Apfel", "grüner Apfel"}},
	{"de", "schwartze katze", []string{"schwarze Katze"}},
	{"de", "geburtstagstorte", []string{"Geburtstagskuchen"}},
	{"de", "flagge deutschland", []string{"Flagge: Deutschland"}},
	{"de", "weinendes gesicht", []string{"weinendes Gesicht", "heulendes Gesicht", "weinende Katze"}},
	{"de", "regenschrim", []string{"Regenschirm", "Regenschirm im Regen"}},
	{"de", "fussball", []string{"Fußball"}},
}

// worth is how good the order of what was found is, from 0 to 1: the discounted gain of the
// first five beside that of the best order.
func (j judged) worth(found []text) float64 {
	gain, best := 0.0, 0.0
	for at := range 5 {
		discount := math.Log2(float64(at) + 2)
		if at < len(j.titles) {
			best += float64(len(j.titles)-at) / discount
		}
		if at < len(found) {
			if place := slices.Index(j.titles, found[at].Title); place >= 0 {
				gain += float64(len(j.titles)-place) / discount
			}
		}
	}
	return gain / best
}
