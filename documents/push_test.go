package documents_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/documents"
	"quire/store"
	"quire/transfer/push"
)

// copyOf returns a site with a copy of the data file. Its clock is another one.
func copyOf(t *testing.T, f *contenttest.Fixture) *contenttest.Fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quire.db")
	file, err := os.Create(path)
	if err == nil {
		_, err = f.DB.Backup(file)
	}
	if err == nil {
		err = file.Close()
	}
	check(t, err)
	db, err := store.Open(path, store.Options{Hasty: true})
	check(t, err)
	now := contenttest.Clock()
	other := &contenttest.Fixture{TB: t, Site: f.Site, DB: db, Index: contenttest.Build(t, f.Site, db)}
	other.Writer = content.NewWriter(db, other.Index, f.Site, content.WriterOptions{Now: func() time.Time { return now().Add(time.Hour + 7*time.Millisecond) }})
	t.Cleanup(func() { other.Writer.Close(); db.Close() })
	return other
}

// pushed pushes from one site to another, without what both have changed. call is on the latter. It
// returns nil if the push is refused because a value that must be unique is taken, or nothing is left
// of what both had.
func pushed(t *testing.T, from *contenttest.Fixture, call *documents.Call) (plan *push.Plan) {
	t.Helper()
	plan, err := tryPush(t, from, call, push.Options{SkipConflicts: true})
	if _, p := documents.ExplainStep(err); p != nil && p.Message == "This attribute must be unique" || errors.Is(err, push.ErrNoPast) {
		return nil
	}
	check(t, err)
	return plan
}

func tryPush(t *testing.T, from *contenttest.Fixture, call *documents.Call, o push.Options) (plan *push.Plan, err error) {
	call.Latest()
	call.Actor = store.ActorOf(store.ByCommand, "push")
	err = from.DB.View(func(tx *store.Tx) error {
		err := call.DB.View(func(own *store.Tx) (err error) {
			plan, err = push.Make(t.Context(), push.Side{Tx: tx, Site: from.Site}, push.Side{Tx: own}, o)
			return err
		})
		if err != nil {
			return err
		}
		return call.Adopt(t.Context(), plan.Steps, plan.Check, plan.Note)
	})
	return plan, err
}

// present removes links that nobody sees, because nothing of that status and locale is at their end,
// or all links, because they also change with documents at their other end.
func present(pictures map[store.Name]*store.Entry, all bool) map[store.Name]*store.Entry {
	there := map[store.Key]bool{}
	for name := range pictures {
		there[name.Key] = true
	}
	unseen := func(k store.Key, e store.Edge) bool {
		for _, locale := range []string{e.Locale, k.Locale, ""} {
			end := store.Key{DocumentID: e.Target, Locale: locale, Status: k.Status}
			if there[end] || k.Status == store.Draft && there[end.WithStatus(store.Published)] {
				return false
			}
		}
		return true
	}
	var prune func(k store.Key, fields store.Fields) store.Fields
	prune = func(k store.Key, fields store.Fields) (kept store.Fields) {
		for _, f := range fields {
			f.Value.Edges = slices.DeleteFunc(slices.Clone(f.Value.Edges), func(e store.Edge) bool { return !all || unseen(k, e) })
			f.Value.Instances = slices.Clone(f.Value.Instances)
			for i, r := range f.Value.Instances {
				f.Value.Instances[i].Fields = prune(k, r.Fields)
			}
			if f.Value.Kind != store.Edges || len(f.Value.Edges) > 0 {
				kept = append(kept, f)
			}
		}
		return kept
	}
	pictures = maps.Clone(pictures)
	for name, e := range pictures {
		pruned := *e
		pruned.Fields = prune(name.Key, e.Fields)
		pictures[name] = &pruned
	}
	return pictures
}

// Whatever was written on one site: after a push the other one is the same, a second push finds
// nothing, and undo makes it what it was.
func TestAPushMakesSitesTheSame(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { pushRandom(t, seed) })
	}
}

func pushRandom(t *testing.T, seed uint64) {
	site := contenttest.Guide(t)
	site.Settings.History.Age = 100 * 365 * 24 * time.Hour // the clock of the fixture stands in the past
	f := contenttest.New(t, site)
	g := &contenttest.Gambler{Fixture: f, Rand: rand.New(rand.NewPCG(seed, 2))}
	for range 60 {
		_ = g.Move() // some are refused
	}
	before := pictures(f)
	other := copyOf(t, f)
	h := *g
	h.Fixture = other
	for range 1 + g.Rand.IntN(40) {
		_ = h.Move()
	}
	since := momentAfter(t, f)
	call := ownerOf(t, f)
	plan := pushed(t, other, call)
	if plan == nil {
		return
	}
	left := map[string]bool{}
	for _, l := range plan.Left {
		left[l.DocumentID] = l.Reason == push.LeftUnwritten
	}
	if len(plan.Conflicts)+plan.Kept > 0 || slices.Contains(slices.Collect(maps.Values(left)), false) {
		t.Errorf("%+v %+v %d", plan.Conflicts, plan.Left, plan.Kept)
	}
	for name, difference := range differing(present(pictures(other), true), present(pictures(f), true)) {
		if left[name.Key.DocumentID] {
			continue
		}
		t.Errorf("%v %s", name, difference)
	}
	if again := pushed(t, other, call); again == nil || len(again.Steps) > 0 {
		t.Errorf("a second push: %+v", again.Changes)
	}
	undo, err := call.Undo(context.Background(), documents.Period{By: "command:push", Since: since})
	if err != nil || len(undo.Left) > 0 {
		t.Fatal(undo, err)
	}
	check(t, call.TakeBack(context.Background(), undo))
	// Links of others to what was deleted and has returned are gone, as docs/cli.md says.
	for name, difference := range differing(present(before, false), present(pictures(f), false)) {
		t.Errorf("%v %s after the undo", name, difference)
	}
}

// What only the second site has changed stays, and what both have changed is a conflict.
func TestAPushLeavesWhatTheOtherHasChanged(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { pushBeside(t, seed) })
	}
}

func pushBeside(t *testing.T, seed uint64) {
	f := contenttest.New(t, contenttest.Guide(t))
	g := &contenttest.Gambler{Fixture: f, Rand: rand.New(rand.NewPCG(seed, 3))}
	for range 60 {
		_ = g.Move()
	}
	base := present(pictures(f), false)
	other := copyOf(t, f)
	h := *g
	h.Fixture = other
	for range 20 {
		_ = h.Move()
		_ = g.Move()
	}
	theirs, ours := present(pictures(other), false), present(pictures(f), false)
	call := ownerOf(t, f)
	plan := pushed(t, other, call)
	if plan == nil {
		return
	}
	conflicts := map[string]bool{}
	for _, c := range plan.Conflicts {
		conflicts[c.DocumentID] = true
	}
	by := differing(base, theirs)
	now := present(pictures(f), false)
	for name := range differing(base, ours) {
		_, both := by[name]
		switch {
		case both && len(differing(only(theirs, name), only(ours, name))) > 0 && !conflicts[name.Key.DocumentID]:
			t.Errorf("%v was changed on both sides, and is no conflict", name)
		case len(differing(only(ours, name), only(now, name))) > 0:
			t.Errorf("%v was changed by the second site, and the push has changed it", name)
		}
	}
}

func only(all map[store.Name]*store.Entry, name store.Name) map[store.Name]*store.Entry {
	if all[name] == nil {
		return nil
	}
	return map[store.Name]*store.Entry{name: all[name]}
}

// What no write could store is not pushed either: a data file that was tampered with cannot break
// the JSON of the other site.
func TestAPushRefusesValuesThatNoWriteCouldStore(t *testing.T) {
	for _, test := range []struct {
		attribute string
		value     store.Value
		refused   bool
	}{
		{"meta", store.Value{Kind: store.JSON, Text: `{"a":["b"]}`}, false},
		{"meta", store.Value{Kind: store.JSON, Text: `1},"secret_note":{"a":1`}, true},
		{"meta", store.Value{Kind: store.JSON, Text: `1,"":1`}, true},
		{"meta", store.Value{Kind: store.JSON, Text: strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)}, true},
		{"description", store.Value{Kind: store.JSON, Text: `[}`}, true},
		{"tagline", store.Value{Kind: store.Text, Text: "\xff"}, true},
		{"rating", store.Value{Kind: store.Float, Real: math.NaN()}, true},
	} {
		f := contenttest.New(t, contenttest.Guide(t))
		id := f.Create("restaurant", `{"name": "Inn"}`, contenttest.AsDraft, contenttest.In("en"))
		other := copyOf(t, f)
		other.Update("restaurant", id, `{"name": "Tavern"}`, contenttest.AsDraft, contenttest.In("en"))
		before := other.Stored("restaurant", contenttest.DraftOf(id, "en"))
		after := *before
		after.Fields = slices.Clone(before.Fields).Set(test.attribute, test.value)
		change := store.Change{Type: f.Kind("restaurant").UID, Before: before, After: &after}
		check(t, other.DB.Update(func(tx *store.Tx) error { return tx.Apply(change) }))
		_, err := tryPush(t, other, ownerOf(t, f), push.Options{})
		name := f.Stored("restaurant", contenttest.DraftOf(id, "en")).Value("name").Text
		if _, p := documents.ExplainStep(err); (p != nil) != test.refused || (name == "Inn") != test.refused {
			t.Errorf("%s %.40q: %v, and the name is %s", test.attribute, test.value.Text, err, name)
		}
	}
}
