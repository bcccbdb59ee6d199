package index

import (
	"bufio"
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"quire/schema"
	"quire/store"
)

// The postings of a guide are measured here, and written to a file for the program in
// docs/performance.md that measures them as bitmaps of another kind:
//
//	go test ./index -run '^$' -bench RealPostings -site FOLDER -write FILE
var (
	guideSite    = flag.String("site", "", "the `folder` of a site with a guide, whose postings are measured")
	postingsFile = flag.String("write", "", "a `file` to write these postings to")
)

// realPostings are the postings of the published restaurants of a guide.
type realPostings struct {
	universe Row
	postings []Posting
}

func newRealPostings(b *testing.B) (p realPostings) {
	if *guideSite == "" {
		b.Skip("there is no -site")
	}
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(b, err)
	db, err := store.Open(filepath.Join(*guideSite, "data", "quire.db"), store.Options{ReadOnly: true})
	check(b, err)
	defer db.Close()
	var x *Index
	check(b, db.View(func(tx *store.Tx) (err error) { x, err = Build(site, tx); return }))
	p.take(x.Snapshot(), site.Type("api::restaurant.restaurant"))
	return p
}

// take takes the postings of values, links and words.
func (p *realPostings) take(s *Snapshot, restaurant *schema.Type) {
	tb := s.Table(restaurant, store.Published)
	p.universe = tb.Size()
	path := func(name string) Path { return NewPath(restaurant.Attribute(name)) }
	for _, name := range []string{"name", "price_tier", "stars", "rating", "seats", "vegan", "founded", "opens_at", "locale"} {
		s.Values(tb, path(name)).Each(Range{}, func(_ string, rows Posting) bool { p.postings = append(p.postings, rows); return true })
	}
	for _, name := range []string{"chef", "categories"} {
		links := s.Links(tb, path(name))
		for d := range Doc(links.targets.n) {
			p.postings = append(p.postings, links.Rows(d))
		}
	}
	for _, name := range []string{"name", "tagline", "story"} {
		words := s.Words(tb, path(name))
		for n := range uint32(words.rows.n) {
			p.postings = append(p.postings, words.rows.at(n))
		}
	}
}

// some are the first fifty of several rows that hold one row in from, to in to.
func (p *realPostings) some(from, to int) (some []Posting) {
	for _, one := range p.postings {
		if share := int(p.universe) / max(1, one.Len()); share >= from && share < to && one.Len() > 1 {
			some = append(some, one)
		}
	}
	return some[:min(len(some), 50)]
}

// bytes is what the postings take, with what the allocator rounds up left out.
func (p *realPostings) bytes() (n int) {
	for _, one := range p.postings {
		n += 16
		if s := one.rows; s != nil {
			n += 64 + 4*cap(s.few) + 8*cap(s.chunks)
			for _, c := range s.chunks {
				if c != nil {
					n += chunkWords*8 + 8
				}
			}
		}
	}
	return n
}

// write writes the number of rows, and each posting as its length and its rows.
func (p *realPostings) write(b *testing.B) {
	f, err := os.Create(*postingsFile)
	check(b, err)
	out := bufio.NewWriter(f)
	number := func(n uint32) { out.Write(binary.LittleEndian.AppendUint32(nil, n)) }
	number(p.universe)
	for _, one := range p.postings {
		number(uint32(one.Len()))
		one.Each(func(r Row) bool { number(r); return true })
	}
	check(b, out.Flush())
	check(b, f.Close())
}

// BenchmarkRealPostings is what queries and writes do with the postings of a guide: those
// of one row in less than 32, in less than 1,000, and of fewer.
func BenchmarkRealPostings(b *testing.B) {
	p := newRealPostings(b)
	if *postingsFile != "" {
		p.write(b)
	}
	dense := p.some(1, 32)
	p.measure(b, "dense", dense)
	p.measure(b, "middle", p.some(32, 1000))
	p.measure(b, "thin", p.some(1000, 1<<30))
	b.Run("keep/dense", func(b *testing.B) {
		for b.Loop() {
			out := NewBits(p.universe)
			dense[0].AddTo(out)
			for _, one := range dense[1:min(4, len(dense))] {
				one.KeepIn(out)
			}
			out.Count()
			out.Release()
		}
		b.ReportMetric(float64(p.bytes())/1e6, "MB-of-all")
	})
}

func (p *realPostings) measure(b *testing.B, name string, some []Posting) {
	b.Run("unite/"+name, func(b *testing.B) {
		for b.Loop() {
			out := NewBits(p.universe)
			united := out.Unite()
			for _, one := range some {
				united.Add(one)
			}
			united.Done()
			out.Count()
			out.Release()
		}
	})
	b.Run("walk/"+name, func(b *testing.B) {
		sum := Row(0)
		for b.Loop() {
			for _, one := range some {
				one.Each(func(r Row) bool { sum += r; return true })
			}
		}
	})
	b.Run("add-to-a-copy/"+name, func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			some[i%len(some)].add(Row(i*7919)%p.universe, p.universe, &edition{})
		}
	})
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
