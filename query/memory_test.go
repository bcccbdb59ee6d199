package query

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"quire/index"
	"quire/query/params"
)

// purse is a host that holds up to a limit.
type purse struct {
	gate
	limit, held int
}

var errEmpty = errors.New("the purse is empty")

func (p *purse) Reserve(bytes int) error {
	if bytes > p.limit {
		return errEmpty
	}
	p.held = max(p.held, bytes)
	return nil
}

// spent runs a list for a host, and returns the answer and the bytes that were
// allocated for it.
func spent(t *testing.T, q *Query, s *index.Snapshot, p *purse) (out []byte, allocated int, err error) {
	t.Helper()
	q.Guard(p, Unlimited)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err = q.AppendBare(t.Context(), s, nil)
	runtime.ReadMemStats(&after)
	return out, int(after.TotalAlloc - before.TotalAlloc), err
}

// Whatever a run keeps much of, the host holds before it is allocated, and a run
// for which it does not ends there.
func TestMemoryIsHeldBeforeItIsTaken(t *testing.T) {
	const rows, limit = 8_000, 256 << 10
	site := loadSite(t)
	site.Settings.MaxLimit, site.Settings.Limits.ResponseEntries = rows, 1<<30
	x := emptyIndex(t, site)
	guide(t, x, rows)
	c, s := NewCompiler(site), x.Snapshot()
	for _, test := range []struct {
		what, query string
		kept        int // at least, in bytes
	}{
		{"an answer", "pagination[pageSize]=8000", 4 << 20},
		{"an answer with components", "pagination[pageSize]=8000&fields=name&populate[opening_hours]=true", 2 << 20},
		{"an answer with relations", "fields=name&pagination[pageSize]=100&populate[categories][populate]=restaurants", 8 << 20},
		{"the keys of a sort", "fields=name&pagination[pageSize]=1&filters[seats][$gt]=0&sort=opening_hours.day,tagline,location.street", 1 << 20},
		{"ranks", "fields=name&pagination[pageSize]=1&_q=r&sort=_rank", limit + 1},
		{"values behind a relation", "fields=name&pagination[pageSize]=1&sort=categories.restaurants.tagline", 1 << 20},
		{"rows that are counted", "fields=name&pagination[pageSize]=1&populate[categories][populate][restaurants][sort]=tagline", limit + 1},
	} {
		n, err := params.Parse(test.query, params.Limits{})
		check(t, err)
		q, err := c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
		check(t, err)
		if _, _, err := spent(t, q, s, &purse{limit: 1 << 30}); err != nil { // builds the indexes
			t.Fatal(err)
		}
		rich, poor := &purse{limit: 1 << 30}, &purse{limit: limit}
		out, whole, err := spent(t, q, s, rich)
		if err != nil || rich.held < test.kept || cap(out) > rich.held {
			t.Errorf("%s: held %d, the answer takes %d, %v", test.what, rich.held, cap(out), err)
		}
		out, part, err := spent(t, q, s, poor)
		if raceDetector {
			part = 0 // its pools drop what they are given, at random
		}
		if !errors.Is(err, errEmpty) || cap(out) > limit || part > 4*limit || part > whole/2 {
			t.Errorf("%s, refused: %d bytes of an answer, %d allocated, of %d, %v", test.what, cap(out), part, whole, err)
		}
	}
}

// An answer grows in memory that was asked for, wherever it ends.
func TestAnswersGrowWithinWhatIsHeld(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 100)
	c, s := NewCompiler(site), x.Snapshot()
	for size := range 12 {
		for _, populate := range []string{"", "&populate=*", "&populate[chef][populate][restaurants][populate]=*", "&populate[categories][count]=true&populate[opening_hours][count]=true"} {
			p := &purse{limit: 1 << 30}
			q := restaurants(t, c, fmt.Sprintf("pagination[pageSize]=%d%s", 8*size+1, populate))
			q.Guard(p, Unlimited)
			out, err := q.AppendList(t.Context(), s, make([]byte, 0, leastAnswer))
			if err != nil || cap(out) > max(freeBytes, p.held) {
				t.Errorf("%d entries%s: %d bytes, held %d, %v", 8*size+1, populate, cap(out), p.held, err)
			}
		}
	}
}

// Sets of rows are counted while there are any: when the rows have been selected
// and ordered, no more is counted than the page and what the run remembers.
func TestSetsAreGivenBack(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 2000)
	c, s := NewCompiler(site), x.Snapshot()
	for _, read := range planned {
		q := restaurants(t, c, read.query)
		run := newRun(t.Context(), s, q)
		m := q.selectRows(run)
		if m.rows != nil && run.reservedBytes != bitsBytes(m.tb) && !run.remembers() {
			t.Errorf("%s: %d bytes with the rows selected", read.name, run.reservedBytes)
		}
		page := run.page(m, q.order, q.paging.stretch())
		m.release(run)
		if most := cap(page) * rowBytes; run.reservedBytes > most && !run.remembers() {
			t.Errorf("%s: %d bytes at the end, the page takes %d", read.name, run.reservedBytes, most)
		}
		run.close()
	}
}

// remembers reports whether a run keeps what it has found out.
func (x *run) remembers() bool {
	for _, known := range x.memos {
		if known.rows != nil {
			return true
		}
	}
	return len(x.hopValues) > 0
}
