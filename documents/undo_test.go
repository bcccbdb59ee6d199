package documents_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quire/auth"
	"quire/content"
	"quire/content/contenttest"
	"quire/content/event"
	"quire/documents"
	"quire/query"
	"quire/store"
)

// openBudget limits nothing.
type openBudget struct{ documents.Budget }

func (openBudget) Begin(context.Context, int, ...*query.Query) error { return nil }
func (openBudget) Enter(context.Context) error                       { return nil }
func (openBudget) End()                                              {}
func (openBudget) Parsed()                                           {}
func (openBudget) Observe(*query.Query)                              {}
func (openBudget) Wait() error                                       { return nil }
func (openBudget) Resume()                                           {}
func (openBudget) Restart()                                          {}
func (openBudget) Start()                                            {}
func (openBudget) StillMay() error                                   { return nil }
func (openBudget) OnTime() error                                     { return nil }
func (openBudget) Reserve(int) error                                 { return nil }

// ownerOf returns a call in the name of the owner of the data file.
func ownerOf(t *testing.T, f *contenttest.Fixture) *documents.Call {
	t.Helper()
	a, err := auth.Open(f.DB, f.Site, auth.Options{})
	check(t, err)
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	owner, err := a.ActAs(auth.AsOwner)
	check(t, err)
	s, err := documents.New(documents.Config{Site: f.Site, DB: f.DB, Index: f.Index, Writer: f.Writer, Log: slog.New(slog.DiscardHandler)})
	check(t, err)
	return &documents.Call{Service: s, Caller: owner.Caller, Actor: owner.Actor(), Budget: openBudget{}}
}

// pictures returns the entries of all types, by name.
func pictures(f *contenttest.Fixture) map[store.Name]*store.Entry {
	all := map[store.Name]*store.Entry{}
	for _, kind := range contenttest.Kinds {
		g := &contenttest.Gambler{Fixture: f}
		g.Each(kind, func(e *store.Entry) { all[store.Name{Type: f.Kind(kind).UID, Key: e.Key()}] = e })
	}
	return all
}

// differing says how two pictures differ, except in numbers and times.
func differing(before, after map[store.Name]*store.Entry) map[store.Name]string {
	found := map[store.Name]string{}
	names := map[store.Name]*store.Entry{}
	maps.Copy(names, before)
	maps.Copy(names, after)
	for name := range names {
		a, b := before[name], after[name]
		switch {
		case a == nil:
			found[name] = "was made"
		case b == nil:
			found[name] = "is missing"
		case !a.Fields.EqualButNumbers(b.Fields):
			found[name] = fmt.Sprintf("was %v and is %v", a.Fields, b.Fields)
		case (a.PublishedAt == 0) != (b.PublishedAt == 0):
			found[name] = fmt.Sprintf("was published at %d and is at %d", a.PublishedAt, b.PublishedAt)
		}
	}
	return found
}

// What an author did since a moment, or what all did, is taken back, whatever it was: the content is
// as before.
func TestUndoMakesTheContentWhatItWas(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { undoRandom(t, seed, false) })
		t.Run(fmt.Sprint(seed, " of all"), func(t *testing.T) { undoRandom(t, seed, true) })
	}
}

func undoRandom(t *testing.T, seed uint64, ofAll bool) {
	site := contenttest.Guide(t)
	site.Settings.History.Age = 100 * 365 * 24 * time.Hour // the clock of the fixture stands in the past
	f := contenttest.New(t, site)
	random := rand.New(rand.NewPCG(seed, 1))
	people, assistant := store.ActorOf(store.ByAdmin, "ada"), store.ActorOf(store.ByToken, "bot")
	as := func(a store.Actor, moves int) {
		g := &contenttest.Gambler{Fixture: f, Rand: random, Context: content.By(context.Background(), a)}
		for range moves {
			_ = g.Move() // some are refused
		}
	}
	as(people, 60)
	before := pictures(f)
	since := momentAfter(t, f)
	as(assistant, 1+random.IntN(25))
	period := documents.Period{By: string(assistant), Since: since}
	if ofAll {
		as(people, random.IntN(10))
		as(assistant, random.IntN(10))
		period.By = documents.Everybody
	}
	call := ownerOf(t, f)
	undo, err := call.Undo(context.Background(), period)
	check(t, err)
	if len(undo.Left) > 0 {
		t.Errorf("left: %v", undo.Left)
	}
	effects, err := call.Effects(context.Background(), undo.Steps)
	check(t, err)
	done := pictures(f)
	writes, err := call.Prepare(context.Background(), undo.Steps, nil)
	check(t, err)
	if len(writes) > 0 {
		if err := call.Do(context.Background(), writes...); err != nil {
			t.Fatalf("%v\n%+v", err, undo.Steps)
		}
	}
	for name := range differing(done, pictures(f)) {
		if !slices.ContainsFunc(effects, func(e documents.Effect) bool {
			return name == store.Name{Type: e.Type.UID, Key: store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}}
		}) {
			t.Errorf("nothing was said about %v", name)
		}
	}
	for name, difference := range differing(before, pictures(f)) {
		t.Errorf("%v %s after %+v", name, difference, undo.Steps)
	}
}

// momentAfter returns a time between the last commit and the next.
func momentAfter(t *testing.T, f *contenttest.Fixture) (at time.Time) {
	t.Helper()
	err := f.DB.View(func(tx *store.Tx) error {
		return event.ReadBack(tx, func(c event.Commit) bool {
			at = c.At.Add(time.Millisecond)
			return false
		})
	})
	check(t, err)
	return at
}
