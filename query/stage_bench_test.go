package query

import (
	"context"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/store"
)

// The stages of a read, one by one, on a guide of 10,000 restaurants whose
// indexes are built. BenchmarkReads takes them together.

// stage calls fn for each of the reads named, compiled.
func stage(b *testing.B, names []string, fn func(b *testing.B, c *Compiler, n *params.Node, q *Query, s *index.Snapshot)) {
	site := loadSite(b)
	x := emptyIndex(b, site)
	guide(b, x, 10000)
	c := NewCompiler(site)
	for _, name := range names {
		n, err := params.Parse(readNamed(b, name), params.Limits{})
		check(b, err)
		q := compileRestaurants(b, c, n)
		if _, err := q.AppendList(context.Background(), x.Snapshot(), nil); err != nil { // builds the indexes
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			fn(b, c, n, q, x.Snapshot())
		})
	}
}

func readNamed(b *testing.B, name string) string {
	for _, read := range guideReads {
		if read.name == name {
			return read.query
		}
	}
	b.Fatalf("no read is called %s", name)
	return ""
}

func BenchmarkCompile(b *testing.B) {
	stage(b, []string{"list", "page", "filter", "relation", "logic", "populate", "deep"}, func(b *testing.B, c *Compiler, n *params.Node, _ *Query, _ *index.Snapshot) {
		for b.Loop() {
			compileRestaurants(b, c, n)
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	stage(b, []string{"list", "filter", "relation", "logic", "contains", "search"}, func(b *testing.B, _ *Compiler, _ *params.Node, q *Query, s *index.Snapshot) {
		for b.Loop() {
			if _, err := q.Count(context.Background(), s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOrder(b *testing.B) {
	stage(b, []string{"list", "page", "filter", "relation", "logic"}, func(b *testing.B, _ *Compiler, _ *params.Node, q *Query, s *index.Snapshot) {
		m := q.selectRows(newRun(context.Background(), s, q))
		for b.Loop() {
			newRun(context.Background(), s, q).page(m, q.order, q.paging.stretch())
		}
	})
}

// encode appends the page of a query again and again.
func encode(b *testing.B, _ *Compiler, _ *params.Node, q *Query, s *index.Snapshot) {
	x := newRun(context.Background(), s, q)
	m := q.selectRows(x)
	rows := x.page(m, q.order, q.paging.stretch())
	var dst []byte
	for b.Loop() {
		x, dst = newRun(context.Background(), s, q), dst[:0]
		for _, r := range rows {
			dst = q.appendWhole(x, entryRecord(m.tb, r), dst)
		}
	}
	b.ReportMetric(float64(len(rows)), "entries")
	b.ReportMetric(float64(len(dst)), "bytes")
}

func BenchmarkEncode(b *testing.B) { stage(b, []string{"list", "search"}, encode) }

func BenchmarkPopulate(b *testing.B) { stage(b, []string{"populate", "deep"}, encode) }

// BenchmarkOne is a document by its id, whose stages are too short to be measured
// separately.
func BenchmarkOne(b *testing.B) {
	stage(b, []string{"list"}, func(b *testing.B, _ *Compiler, _ *params.Node, q *Query, s *index.Snapshot) {
		key := s.Key(s.Table(q.t, store.Published), 7)
		var dst []byte
		for b.Loop() {
			var found bool
			var err error
			if dst, found, err = q.AppendOne(context.Background(), s, key.DocumentID, dst[:0]); err != nil || !found {
				b.Fatal(found, err)
			}
		}
	})
}

func BenchmarkCost(b *testing.B) {
	stage(b, []string{"list", "filter", "logic", "populate", "deep"}, func(b *testing.B, _ *Compiler, _ *params.Node, q *Query, s *index.Snapshot) {
		for b.Loop() {
			q.Cost(s, 50_000)
		}
	})
}
