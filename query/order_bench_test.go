package query

import (
	"context"
	"fmt"
	"testing"

	"quire/index"
)

// BenchmarkGroups orders 300,000 restaurants by a time that many of them share.
func BenchmarkGroups(b *testing.B) {
	const n = 300_000
	for _, group := range []int{1, 2, 100, 20_000, n} {
		x := grouped(b, n, group)
		s := x.Snapshot()
		c := NewCompiler(s.Site())
		for _, read := range []struct{ name, query string }{
			{"page", "sort=createdAt:desc"},
			{"deep", "sort=createdAt:desc&pagination[start]=250000"},
			{"deep-asc", "sort=createdAt&pagination[start]=250000"},
			{"filtered", "sort=createdAt:desc&filters[stars]=3&pagination[start]=40000"},
			{"by-name", "sort=createdAt:desc,name&pagination[start]=100"},
			{"by-update", "sort=createdAt,updatedAt&pagination[start]=250000"},
		} {
			q := compiledRead(b, c, read.query)
			benchOrder(b, fmt.Sprintf("group=%d/%s", group, read.name), q, s, q.paging.start, q.paging.size)
			if read.name == "page" {
				benchOrder(b, fmt.Sprintf("group=%d/all", group), q, s, 0, n)
			}
		}
	}
}

func benchOrder(b *testing.B, name string, q *Query, s *index.Snapshot, start, size int) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		m := q.selectRows(newRun(context.Background(), s, q))
		newRun(context.Background(), s, q).page(m, q.order, stretch{skip: start, limit: size}) // builds the indexes
		for b.Loop() {
			newRun(context.Background(), s, q).page(m, q.order, stretch{skip: start, limit: size})
		}
	})
}
