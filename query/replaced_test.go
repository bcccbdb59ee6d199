package query

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// served is content, and the answer that it gives.
type served struct {
	index  *index.Index
	answer string
}

// Content that is in a file can be read as long as somebody reads it, also when other
// content has taken its place and nothing else is left of it.
func TestReadsOfContentThatIsReplaced(t *testing.T) {
	site := loadSite(t)
	files := []*file{chefsIn(t, site, strings.Repeat("Ada", 20)), chefsIn(t, site, strings.Repeat("Grace", 20))}
	requested, err := params.Parse("sort=name&pagination[pageSize]=100&filters[name][$contains]=a", params.Limits{})
	check(t, err)
	q, err := NewCompiler(site).Compile(site.Type("api::chef.chef"), requested, everything{}, Options{})
	check(t, err)
	read := func(x *index.Index) string {
		text, err := q.AppendList(context.Background(), x.Snapshot(), nil)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	var now atomic.Pointer[served]
	serve := func(f *file) {
		x := f.build()
		now.Store(&served{x, read(x)})
	}
	serve(files[0])
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				s := now.Load()
				want, got := s.answer, read(s.index)
				if got != want || len(got) < 100 {
					t.Errorf("%.200s, and not %.200s", got, want)
					return
				}
			}
		})
	}
	for i := range 20 {
		serve(files[i%2])
		runtime.GC()
	}
	close(done)
	readers.Wait()
}

// chefsIn is a file with many chefs whose names begin in the same way.
func chefsIn(t *testing.T, site *schema.Site, name string) *file {
	t.Helper()
	f := newFile(t, site)
	var changes []store.Change
	for i := range 300 {
		changes = append(changes, store.Change{Type: "api::chef.chef", After: &store.Entry{
			ID: uint64(i + 1), DocumentID: fmt.Sprintf("chef%d", i), Status: store.Published, CreatedAt: 1, UpdatedAt: 1,
			Fields: []store.Field{{Name: "name", Value: text(fmt.Sprint(name, i))}},
		}})
	}
	f.apply(changes)
	return f
}
