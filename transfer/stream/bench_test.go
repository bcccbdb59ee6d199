package stream

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quire/store"
)

// What a commit of ten entries waits for because of a stream: that its operations are kept, and
// one append. go test ./transfer/stream -bench Record -run '^$'
func BenchmarkRecord(b *testing.B) {
	q, err := OpenQueue(b.TempDir(), 1<<40, store.CommitID{}, 0)
	check(b, err)
	q.Begin(store.CommitID{})
	c := store.Recorded{CommitID: store.CommitID{Lineage: 1}}
	for i := range 10 {
		c.Ops = append(c.Ops, store.Op{Path: []string{"content", dogs, "-"}, Key: fmt.Append(nil, "dog", i), Value: make([]byte, 400)})
	}
	for b.Loop() {
		c.Before, c.Revision = c.CommitID, c.Revision+1
		if c.Revision == 1 {
			c.Before = store.CommitID{}
		}
		q.Record(c)
		if closed := q.Closed(); len(closed) > 0 { // as the sender does
			check(b, q.Remove(len(closed)))
		}
	}
	check(b, q.Seal(c.CommitID))
	check(b, q.Close())
}

// What a stream to another folder costs whoever writes: two sites get the same commits of ten
// entries in turns, as fast as they take them, one with a stream and one without. The stream
// shares the disk and the processors. "behind-s" is the age of the oldest commit that was not in
// the target at any moment. go test ./transfer/stream -bench Writes -run '^$' -benchtime 40x
func BenchmarkWrites(b *testing.B) {
	with, without := newSite(b), newSite(b)
	for _, s := range []*site{with, without} {
		check(b, s.sender.Close())
		check(b, s.db.Close())
		var err error
		s.db, err = store.Open(filepath.Join(s.folder, dataName), store.Options{})
		check(b, err)
	}
	with.begin()
	with.sender.queue.age, with.sender.queue.most = queueAge, 1<<30
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		with.sender.Run(ctx)
		close(ended)
	}()
	var behind float64
	burst := func(s *site) time.Duration {
		begin := time.Now()
		for range 100 {
			check(b, s.db.Update(func(tx *store.Tx) error {
				for range 10 {
					s.ids++
					if err := tx.Apply(store.Change{Type: dogs, After: textEntry(s.ids, fmt.Sprintf("d%d", s.ids), "dog with a name of a usual length, and a text of some words after it")}); err != nil {
						return err
					}
				}
				return nil
			}))
			behind = max(behind, with.sender.Status().Behind)
		}
		return time.Since(begin)
	}
	var ratios []float64
	var spent [2]time.Duration
	for i := 0; b.Loop(); i++ {
		order := []*site{with, without}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		took := map[*site]time.Duration{}
		for _, s := range order {
			took[s] = burst(s)
		}
		ratios = append(ratios, took[with].Seconds()/took[without].Seconds())
		spent[0], spent[1] = spent[0]+took[with], spent[1]+took[without]
	}
	stop()
	<-ended
	slices.Sort(ratios)
	commits := float64(100 * len(ratios))
	b.ReportMetric(commits/spent[0].Seconds(), "with/s")
	b.ReportMetric(commits/spent[1].Seconds(), "without/s")
	b.ReportMetric(100*(ratios[len(ratios)/2]-1), "%cost")
	b.ReportMetric(behind, "behind-s")
}

// How long a moment takes that is many commits after an image with many entries: go test
// ./transfer/stream -bench Restore -run '^$' -benchtime 1x
func BenchmarkRestore(b *testing.B) {
	const entries, commits = 1_000_000, 86_400
	s := newSite(b)
	s.sender.queue.age, s.sender.queue.most = queueAge, 1<<30
	write := func(n, from int) {
		check(b, s.db.Update(func(tx *store.Tx) error {
			for i := range n {
				id := uint64(from + i)
				if err := tx.Apply(store.Change{Type: dogs, After: textEntry(id, fmt.Sprintf("d%d", id), fmt.Sprintf("dog %d with a name of a usual length, and a text of some words after it", id))}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	check(b, s.db.SetRecorder(nil))
	for from := 0; from < entries; from += 20_000 {
		write(20_000, from)
	}
	check(b, s.sender.queue.Close())
	s.begin()
	s.sender.queue.age, s.sender.queue.most = queueAge, 1<<30
	if s.sender.files == nil {
		check(b, s.sender.connect(b.Context()))
	}
	check(b, s.sender.step(b.Context()))
	for i := range commits {
		write(1, entries+i)
	}
	s.sender.queue.Hurry()
	check(b, s.sender.step(b.Context()))
	for at, moment := range map[string]time.Time{"the image": time.UnixMilli(s.sender.state.Image), "a day of commits later": Latest} {
		b.Run(at, func(b *testing.B) {
			for b.Loop() {
				folder, err := os.MkdirTemp(b.TempDir(), "restored")
				check(b, err)
				m, err := s.catalog().Restore(b.Context(), moment, folder, namesIn)
				check(b, err)
				b.ReportMetric(float64(m.Commits), "commits")
			}
		})
	}
}
