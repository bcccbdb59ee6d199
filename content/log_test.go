package content_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"quire/content/contenttest"
	"quire/content/event"
	"quire/store"
)

// entries are the entries of a data file, by name.
type entries map[store.Name]*store.Entry

func entriesOf(g *contenttest.Gambler) entries {
	all := entries{}
	for _, kind := range contenttest.Kinds {
		g.Each(kind, func(e *store.Entry) { all[store.Name{Type: g.Kind(kind).UID, Key: e.Key()}] = e })
	}
	return all
}

// differs reports whether an entry has changed in more than the number of its version.
func differs(before, after *store.Entry) bool {
	if before == nil || after == nil {
		return before != after
	}
	b, a := *before, *after
	b.Stamp, a.Stamp = store.Stamp{}, store.Stamp{}
	return !reflect.DeepEqual(b, a)
}

// After random writes, the log has each change of an entry once, with the right action,
// and nothing else.
func TestTheLogHasEveryChange(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", n)
	g := &contenttest.Gambler{Fixture: contenttest.New(t, contenttest.Guide(t)), Rand: rand.New(rand.NewPCG(n, 2))}
	before, at := entriesOf(g), event.Position{}
	for i := range 300 {
		_ = g.Move()
		after := entriesOf(g)
		var commits []event.Commit
		err := g.DB.View(func(tx *store.Tx) error {
			if i == 0 {
				floor, err := event.Floor(tx)
				at = floor
				if err != nil {
					return err
				}
			}
			return event.Read(tx, at, func(c event.Commit) bool { commits = append(commits, c); return true })
		})
		if err != nil || len(commits) > 1 {
			t.Fatalf("%d commits of one write, %v", len(commits), err)
		}
		var events []event.Event
		if len(commits) == 1 {
			events, at = commits[0].Events, event.Position{Revision: commits[0].Revision}
		}
		if fault := checkLogged(g, before, after, events); fault != "" {
			t.Fatalf("move %d, %s: %s\n%+v", i, g.Last, fault, events)
		}
		before = after
	}
}

// checkLogged describes what is wrong with the events of one write; empty for nothing.
func checkLogged(g *contenttest.Gambler, before, after entries, events []event.Event) string {
	last, times := map[store.Name]event.Event{}, map[store.Name]int{}
	for _, e := range events {
		name := store.Name{Type: e.Type, Key: store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}}
		last[name] = e
		times[name]++
	}
	names := map[store.Name]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	for name := range names {
		b, a := before[name], after[name]
		e, logged := last[name]
		switch {
		case logged && !differs(b, a) && a != nil && a.Stamp.Version == e.Version: // written without a change
		case !logged && b != nil && a != nil && b.Stamp == a.Stamp: // only dead links were removed, which nobody saw
		case differs(b, a) != logged && times[name] < 2:
			return fmt.Sprintf("%s: it differs: %t, it is logged: %t", name, differs(b, a), logged)
		case !logged || times[name] > 1:
		case e.Action != wanted(g, name, b, after):
			return fmt.Sprintf("%s: logged as %s, want %s", name, e.Action, wanted(g, name, b, after))
		case a != nil && (e.ID != a.ID || e.Version != a.Stamp.Version && !e.Drafts && !standsFor(a, events)):
			return fmt.Sprintf("%s: id %d and version %d, stored are %d and %d", name, e.ID, e.Version, a.ID, a.Stamp.Version)
		}
	}
	return ""
}

// standsFor reports whether an entry has its version because another entry of the
// document was removed, by a later write of the commit.
func standsFor(e *store.Entry, events []event.Event) bool {
	return slices.ContainsFunc(events, func(gone event.Event) bool {
		ended := gone.Action == store.ActionUnpublish || gone.Action == store.ActionDelete
		return ended && gone.DocumentID == e.DocumentID && gone.Version == e.Stamp.Version
	})
}

// wanted returns the action that the log must have for a change.
func wanted(g *contenttest.Gambler, name store.Name, before *store.Entry, all entries) store.Action {
	drafts := g.Site.Type(name.Type).DraftAndPublish && name.Key.Status == store.Published
	draft := name
	draft.Key.Status = store.Draft
	switch after := all[name]; {
	case after == nil && drafts && all[draft] != nil:
		return store.ActionUnpublish
	case after == nil:
		return store.ActionDelete
	case drafts && after.Stamp.Action == store.ActionPublish:
		return store.ActionPublish
	case before == nil:
		return store.ActionCreate
	}
	return store.ActionUpdate
}
