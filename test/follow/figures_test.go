package follow

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/test/program"
)

// TestFigures measures how far a follower is behind while clients write to the leader as fast
// as they can, and what a follower costs the leader, in turns without and with it.
func TestFigures(t *testing.T) {
	program.NeedLong(t)
	p := newPair(t, nil)
	rates := map[bool][]float64{}
	var lags, shown []float64
	for turn := range 12 {
		follows, measures := turn%3 > 0, turn%3 == 2
		if follows {
			p.startFollower()
			p.awaitDocument(p.at, p.newCook(p.address, "before"))
		}
		stop := make(chan struct{})
		var measuring sync.WaitGroup
		if measures {
			measuring.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					id := p.newCook(p.address, "measured")
					stored := time.Now()
					for !p.has(p.at, id) {
					}
					shown = append(shown, time.Since(stored).Seconds())
					lags = append(lags, p.must(204, "GET", p.at, "/_ready", "").lag())
				}
			})
		}
		rate := p.writeFor(5 * time.Second)
		if !measures {
			rates[follows] = append(rates[follows], rate)
		}
		close(stop)
		measuring.Wait()
		if follows {
			p.follower.Kill()
		}
	}
	t.Logf("creates a second: %.0f without a follower, %.0f with one", median(rates[false]), median(rates[true]))
	t.Logf("until the follower shows an acknowledged create: median %.1f ms, p99 %.1f ms, of %d", 1000*median(shown), 1000*quantile(shown, .99), len(shown))
	t.Logf("the lag that it says: median %.3f s, p99 %.3f s", median(lags), quantile(lags, .99))
}

// writeFor creates documents with 8 clients, and returns the rate.
func (p *pair) writeFor(long time.Duration) float64 {
	var made atomic.Int64
	var clients sync.WaitGroup
	end := time.Now().Add(long)
	for n := range 8 {
		clients.Go(func() {
			for time.Now().Before(end) {
				a, err := p.ask("POST", p.address, "/api/cooks", p.token, fmt.Sprintf(`{"data": {"name": "cook of %d"}}`, n))
				if err == nil && a.status == 201 {
					made.Add(1)
				}
			}
		})
	}
	clients.Wait()
	return float64(made.Load()) / long.Seconds()
}

func median(values []float64) float64 { return quantile(values, .5) }

func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	if len(values) == 0 {
		return 0
	}
	return values[int(q*float64(len(values)-1))]
}
