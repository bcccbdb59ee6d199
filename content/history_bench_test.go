package content

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"quire/content/body"
	"quire/content/event"
	"quire/index"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// BenchmarkHistory writes to two data files in turn; only the second one keeps history. It
// reports the share of the rate that history costs. The hot writes go to few documents with
// few kept versions, so versions are removed all the time.
func BenchmarkHistory(b *testing.B) {
	for _, clients := range []int{1, 64} {
		for _, what := range []string{"create", "update", "hot"} {
			b.Run(fmt.Sprintf("%s/clients=%d", what, clients), func(b *testing.B) {
				var sides [2]*benchSide
				for i := range sides {
					sides[i] = newBenchSide(b, i == 1, event.Append)
					if what == "hot" {
						sides[i].made = sides[i].made[:50]
						sides[i].w.planner.site.Settings.History.Versions = 20 * i
					}
				}
				writeInTurn(b, sides, what, clients)
			})
		}
	}
}

// BenchmarkLog creates documents in two data files in turn; only the second one has a log of
// changes. It reports the share of the rate that the log costs.
func BenchmarkLog(b *testing.B) {
	nothing := func(*store.Tx, time.Time, []event.Event) error { return nil }
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("create/clients=%d", clients), func(b *testing.B) {
			writeInTurn(b, [2]*benchSide{newBenchSide(b, true, nothing), newBenchSide(b, true, event.Append)}, "create", clients)
		})
	}
}

// writeInTurn reports the median rate of each side, and the cost of what only the second
// side does: the median over the pairs of turns.
func writeInTurn(b *testing.B, sides [2]*benchSide, what string, clients int) {
	b.ResetTimer()
	var rates [2][]float64
	var ratios []float64
	for done := 0; done < b.N; done += inTurn {
		var rate [2]float64
		for i := range sides {
			if done/inTurn%2 == 1 {
				i = 1 - i // neither side always comes second
			}
			n, began := min(inTurn, b.N-done), time.Now()
			sides[i].write(b, what, clients, n)
			rate[i] = float64(n) / time.Since(began).Seconds()
			rates[i] = append(rates[i], rate[i])
		}
		ratios = append(ratios, rate[1]/rate[0])
	}
	b.ReportMetric(median(rates[0]), "without/s")
	b.ReportMetric(median(rates[1]), "with/s")
	b.ReportMetric(100*(1-median(ratios)), "%-cost")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// inTurn is how many writes a side makes before it is the other's turn.
const inTurn = 128

// benchSide is one of the two data files.
type benchSide struct {
	w    *Writer
	t    *schema.Type
	made []string
	n    int
}

func newBenchSide(b *testing.B, keeps bool, log appendLog) *benchSide {
	site := *guide(b)
	if !keeps {
		site.Settings.History = settings.History{}
	}
	db, err := store.Open(filepath.Join(b.TempDir(), "quire.db"), store.Options{})
	must(b, err)
	var x *index.Index
	must(b, db.View(func(tx *store.Tx) (err error) { x, err = index.Build(&site, tx); return }))
	s := &benchSide{w: NewWriter(db, x, &site, WriterOptions{}), t: site.Type("api::restaurant.restaurant")}
	s.w.append = log
	b.Cleanup(func() { s.w.Close(); db.Close() })
	for range 2000 {
		s.made = append(s.made, NewDocumentID())
	}
	var wait sync.WaitGroup
	for c := range 64 {
		wait.Go(func() {
			for i := c; i < len(s.made); i += 64 {
				s.send(b, s.w.Update, s.made[i], i, true)
			}
		})
	}
	wait.Wait()
	return s
}

func (s *benchSide) send(b *testing.B, write func(context.Context, Request) (Result, error), id string, n int, either bool) {
	data := fmt.Sprintf(`{"name": "restaurant %d", "description": [{"type": "paragraph", "children": [{"type": "text", "text": "The %dth sentence about a place that serves soup, and of the people who come there every day to eat it."}]}]}`, n, n)
	in, err := body.Decode(s.w.planner.site, s.t, json.RawMessage(data), nil)
	if err == nil && either {
		_, err = s.w.Create(context.Background(), Request{Type: s.t, Input: in, DocumentID: id})
	} else if err == nil {
		_, err = write(context.Background(), Request{Type: s.t, Input: in, DocumentID: id})
	}
	if err != nil {
		b.Error(err)
	}
}

func (s *benchSide) write(b *testing.B, what string, clients, n int) {
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			for i := c; i < n; i += clients {
				if what == "create" {
					s.send(b, s.w.Create, "", s.n+i, false)
				} else {
					s.send(b, s.w.Update, s.made[(s.n+i)*7919%len(s.made)], s.n+i, false)
				}
			}
		})
	}
	wait.Wait()
	s.n += n
}
