package content

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"quire/index"
	"quire/store"
)

// codeOf reads the code of a category as the snapshot shows it.
func (f *fixture) codeOf(s *index.Snapshot, id string) int {
	f.Helper()
	category, ok := s.Lookup(f.kind("category"), store.Published).ByDocument(id, "")
	if !ok {
		f.Fatalf("there is no category %s", id)
	}
	n, _ := strconv.Atoi(category.Text("code"))
	return n
}

// add adds one to the code of a category in a transaction, depending on the value it read.
func (f *fixture) add(ctx context.Context, t *Transaction, id string) error {
	category := f.kind("category")
	s := t.Snapshot()
	changed := s.Table(category, store.Published).LastChange()
	t.Read(func(now *index.Snapshot) bool { return now.Table(category, store.Published).LastChange() == changed })
	r := f.hookedRequest("category", fmt.Sprintf(`{"code": %d}`, f.codeOf(s, id)+1))
	r.DocumentID = id
	_, err := t.Do(ctx, ToUpdate(r))
	return err
}

func TestATransactionIsDoneWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	before := f.index.Snapshot().Revision()
	refusal := errors.New("the code refuses")
	_, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
		for _, name := range []string{"Soup", "Bread"} {
			if _, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", fmt.Sprintf(`{"name": %q}`, name)))); err != nil {
				return err
			}
		}
		if n := tx.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 2 {
			t.Errorf("the transaction sees %d categories, want its own 2", n)
		}
		if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 0 {
			t.Errorf("others see %d categories before the commit", n)
		}
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("got the error %v", err)
	}
	if after := f.index.Snapshot().Revision(); after != before {
		t.Errorf("a refused transaction has changed the content: revision %d → %d", before, after)
	}
}

func TestATransactionRefusesOneWriteAndGoesOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	results, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
		if _, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", `{"name": "Soup"}`))); err != nil {
			return err
		}
		if _, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", `{"name": "Soup"}`))); err == nil {
			t.Error("a unique value was accepted twice")
		}
		_, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", `{"name": "Bread"}`)))
		return err
	})
	if err != nil || len(results) != 2 {
		t.Fatalf("got %d results and the error %v", len(results), err)
	}
	if n := results[1][0].Snapshot.Table(f.kind("category"), store.Published).Len(); n != 2 {
		t.Errorf("there are %d categories, want 2", n)
	}
}

func TestATransactionIsRepeatedIfOthersChangeWhatItRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	id := f.create("category", `{"name": "Soup", "code": 1}`)
	tries := 0
	_, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
		if tries++; tries == 1 {
			f.update("category", id, `{"code": 10}`)
		}
		return f.add(ctx, tx, id)
	})
	must(t, err)
	if got := f.codeOf(f.index.Snapshot(), id); got != 11 || tries != 2 {
		t.Errorf("after %d tries the code is %d, want 11 after 2", tries, got)
	}
}

func TestTransactionsOfManyClientsLoseNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	id := f.create("category", `{"name": "Soup", "code": 0}`)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			if i%8 == 0 { // somebody who writes without code
				if _, err := f.tryCreate("category", fmt.Sprintf(`{"name": "c%d"}`, i)); err != nil {
					t.Error(err)
				}
				return
			}
			if _, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error { return f.add(ctx, tx, id) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := f.codeOf(f.index.Snapshot(), id); got != 56 {
		t.Errorf("56 additions have made %d", got)
	}
}

// A write that was acknowledged is visible to the next transaction, also if that is prepared
// on top of others that began before the write.
func TestATransactionSeesWhatWasCommittedBeforeIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	lane := f.writer.lane
	lane.waiting.Add(1) // so that the first one is not committed at once
	first, begun := make(chan error), make(chan bool)
	begin := sync.OnceFunc(func() { close(begun) }) // it is prepared again if it was overtaken
	go func() {
		_, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
			begin()
			_, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", `{"name": "Soup"}`)))
			return err
		})
		first <- err
	}()
	<-begun
	lane.turn <- struct{}{} // the first one is prepared
	<-lane.turn
	id := f.create("category", `{"name": "Bread"}`)
	_, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
		lane.waiting.Store(0)
		if _, ok := tx.Snapshot().Lookup(f.kind("category"), store.Published).ByDocument(id, ""); !ok {
			t.Error("the transaction does not see a write that was acknowledged before it began")
		}
		_, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", `{"name": "Salad"}`)))
		return err
	})
	must(t, errors.Join(err, <-first))
}

func TestASlowTransactionHoldsUpNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	slow, others := f.create("category", `{"name": "Slow", "code": 0}`), f.create("dish", `{"name": "Soup"}`)
	var all sync.WaitGroup
	begun, go_on := make(chan struct{}), make(chan struct{})
	all.Go(func() {
		first := true
		if _, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
			if first {
				first = false
				close(begun)
				<-go_on
			}
			return f.add(ctx, tx, slow)
		}); err != nil {
			t.Error(err)
		}
	})
	<-begun
	for i := range 64 {
		if _, err := f.writer.Transact(t.Context(), func(ctx context.Context, tx *Transaction) error {
			r := f.hookedRequest("dish", fmt.Sprintf(`{"name": "Soup %d"}`, i))
			r.DocumentID = others
			_, err := tx.Do(ctx, ToUpdate(r))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	close(go_on)
	all.Wait()
	if got := f.codeOf(f.index.Snapshot(), slow); got != 1 {
		t.Errorf("the slow transaction has made %d, want 1", got)
	}
}

func TestATransactionThatHangsIsRefusedAndDoesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, guide(t))
	id := f.create("category", `{"name": "Soup", "code": 0}`)
	ctx, cancel := context.WithCancel(t.Context())
	var late *Transaction
	_, err := f.writer.Transact(ctx, func(ctx context.Context, tx *Transaction) error {
		late = tx
		if err := f.add(ctx, tx, id); err != nil {
			return err
		}
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got the error %v", err)
	}
	if _, err := late.Do(t.Context(), ToCreate(f.hookedRequest("category", `{"name": "Late"}`))); !errors.Is(err, ErrEnded) {
		t.Errorf("a write after the end gets %v", err)
	}
	if got := f.codeOf(f.index.Snapshot(), id); got != 0 {
		t.Errorf("the code is %d", got)
	}
}

func BenchmarkTransactions(b *testing.B) {
	f := newFixture(b, guide(b))
	var n sync.WaitGroup
	work := make(chan int)
	for range 64 {
		n.Go(func() {
			for i := range work {
				if _, err := f.writer.Transact(b.Context(), func(ctx context.Context, tx *Transaction) error {
					if _, err := tx.Do(ctx, ToCreate(f.hookedRequest("dish", fmt.Sprintf(`{"name": "d%d"}`, i)))); err != nil {
						return err
					}
					_, err := tx.Do(ctx, ToCreate(f.hookedRequest("category", fmt.Sprintf(`{"name": "c%d"}`, i))))
					return err
				}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	i := 0
	for b.Loop() {
		work <- i
		i++
	}
	close(work)
	n.Wait()
}
