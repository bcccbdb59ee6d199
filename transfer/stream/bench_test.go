package stream

import (
	"fmt"
	"os"
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
