package verify_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"quire/content/contenttest"
	"quire/content/history"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/content/verify"
	"quire/store"
)

var seed = flag.Uint64("seed", 0, "of the random writes; 0 takes a new one")

// An audit finds every fault of numbers, sequences and links. After a repair it finds
// none, and no value or link is lost.
func TestRepairLosesNothing(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", n)
	for round := range 12 {
		g := &contenttest.Gambler{Fixture: contenttest.New(t, contenttest.Guide(t)), Rand: rand.New(rand.NewPCG(n, uint64(round)))}
		for range 60 {
			g.Move()
		}
		g.Writer.Close()
		before := listing(g)
		broken := harm(g)
		if len(broken) > 0 && !slices.ContainsFunc(contenttest.Audit(t, g.Site, g.DB), verify.Fault.Repairable) {
			t.Fatalf("round %d: the audit finds nothing of %v", round, broken)
		}
		repaired, err := verify.Repair(t.Context(), g.DB, g.Site)
		if err != nil || len(broken) > 0 != (len(repaired) > 0) {
			t.Fatalf("round %d: %v was repaired by %v, %v", round, broken, repaired, err)
		}
		requireOrder(g, t, round, broken)
		if after := listing(g); after != before {
			t.Fatalf("round %d: after %v it holds\n%s\nand held\n%s", round, broken, after, before)
		}
		g.Index = contenttest.Build(t, g.Site, g.DB) // the fixture compares it with the file
	}
}

func requireOrder(g *contenttest.Gambler, t *testing.T, round int, broken []string) {
	t.Helper()
	for _, fault := range contenttest.Audit(t, g.Site, g.DB) {
		if !fault.Note {
			t.Fatalf("round %d: after %v and a repair: %s: %s", round, broken, fault.Place, fault.Message)
		}
	}
	if again, err := verify.Repair(t.Context(), g.DB, g.Site); err != nil || len(again) > 0 {
		t.Fatalf("round %d: a second repair: %v, %v", round, again, err)
	}
}

// listing returns all content except numbers.
func listing(g *contenttest.Gambler) string {
	var b strings.Builder
	for _, t := range g.Site.Types {
		g.Each(t.UID, func(e *store.Entry) {
			fmt.Fprintf(&b, "%s %s %d %d %s\n", t.UID, e.Key(), e.CreatedAt, e.UpdatedAt, withoutNumbers(e.Fields))
		})
	}
	return b.String()
}

func withoutNumbers(fields store.Fields) string {
	var all []string
	for _, f := range fields {
		v := f.Value
		text := fmt.Sprint(f.Name, v.Kind, v.Num, v.Real, v.Text)
		for _, r := range v.Instances {
			text += r.Component + withoutNumbers(r.Fields)
		}
		seen := map[store.End]bool{}
		for _, edge := range v.Edges {
			if !seen[edge.End()] {
				text += fmt.Sprint(edge.End())
			}
			seen[edge.End()] = true
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// harm makes a few random faults through the store, and returns them.
func harm(g *contenttest.Gambler) (broken []string) {
	err := g.DB.Update(func(tx *store.Tx) error {
		for range 1 + g.Rand.IntN(4) {
			uid := g.Kind(contenttest.Kinds[g.Rand.IntN(len(contenttest.Kinds))]).UID
			var entries []*store.Entry
			if err := tx.Scan(uid, func(e *store.Entry) error { entries = append(entries, e); return nil }); err != nil {
				return err
			}
			if len(entries) < 2 {
				continue
			}
			if what := spoil(g, tx, uid, entries); what != "" {
				broken = append(broken, what)
			}
		}
		return nil
	})
	if err != nil {
		g.Fatal(err)
	}
	return broken
}

// spoil makes one fault in a type. It returns an empty text if that was impossible.
func spoil(g *contenttest.Gambler, tx *store.Tx, uid string, entries []*store.Entry) string {
	e := entries[g.Rand.IntN(len(entries))]
	other := entries[g.Rand.IntN(len(entries))]
	changed := *e
	what := ""
	switch g.Rand.IntN(6) {
	case 0:
		if tx.Sequence(uid) == 0 || tx.SetSequence(uid, e.ID-1) != nil {
			return ""
		}
		return "the sequence of " + uid
	case 1:
		if e == other {
			return ""
		}
		changed.ID, what = other.ID, "an id"
	case 2:
		changed.ID, what = 0, "no id"
	case 3:
		changed.PublishedAt, what = 0, "a date"
		if e.Status == store.Draft {
			changed.PublishedAt = 1
		}
	default:
		if e.DocumentID == other.DocumentID {
			return ""
		}
		changed.Fields, what = spoilFields(g, uid, e.Fields, other.Fields)
	}
	if what == "" || tx.Apply(store.Change{Type: uid, Before: e, After: &changed}) != nil {
		return ""
	}
	return fmt.Sprintf("%s of %s %s", what, uid, e.Key())
}

func spoilFields(g *contenttest.Gambler, uid string, fields, others store.Fields) (store.Fields, string) {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		a := g.Site.Type(uid).Attribute(f.Name)
		switch {
		case len(f.Value.Edges) > 0 && a.Relation.Many() && g.Rand.IntN(2) == 0:
			f.Value.Edges = append(slices.Clone(f.Value.Edges), f.Value.Edges[0])
			return fields, "a link twice in " + f.Name
		case len(f.Value.Edges) > 0 && a.IsTwoSided():
			f.Value.Edges = slices.Clone(f.Value.Edges)
			f.Value.Edges[0].Place = 0
			return fields, "no place in " + f.Name
		case len(f.Value.Instances) > 0:
			f.Value.Instances = slices.Clone(f.Value.Instances)
			f.Value.Instances[0].ID = 0
			if theirs := others.Value(f.Name).Instances; len(theirs) > 0 && theirs[0].Component == f.Value.Instances[0].Component {
				f.Value.Instances[0].ID = theirs[0].ID
				return fields, "a component's id in " + f.Name
			}
			return fields, "no id in " + f.Name
		}
	}
	return nil, ""
}

// Each kind of fault is reported with its place and what to do.
func TestAuditFindings(t *testing.T) {
	again := store.Value{Kind: store.Text, Text: "a"}
	f := contenttest.New(t, contenttest.Kitchen(t))
	ids := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		ids[name] = f.Create("thing", `{"name": "`+name+`", "slug": "`+name+`", "specs": [{"code": "`+name+`", "note": "n"}]}`, contenttest.Called(name))
	}
	for _, c := range []struct {
		name  string
		spoil func(e *store.Entry)
		want  string
		fix   string // empty if a repair fixes it
	}{
		{"an id again", func(e *store.Entry) { e.ID = 1 }, "its numeric id is that of another entry", ""},
		{"an id too high", func(e *store.Entry) { e.ID = 99 }, "the highest number in use is 99", ""},
		{"a component's id again", func(e *store.Entry) { spec(e).ID = 1 }, "specs: a component has the id of another one", ""},
		{"a link twice", func(e *store.Entry) { link(e, "about", "api::thing.thing", "a", "a") }, "about: it links twice to one document", ""},
		{"a link without a place", func(e *store.Entry) { link(e, "partner", "", "a"); edgesOf(e, "partner")[0].Place = 0 }, "partner: a link has no place", ""},
		{"two links in one", func(e *store.Entry) { link(e, "partner", "", "a", "c") }, "it holds several links", "to many again"},
		{"a link with a type", func(e *store.Entry) { link(e, "partner", "api::note.note", "a") }, `a link is to "api::note.note"`, "again"},
		{"a link to no id", func(e *store.Entry) { link(e, "partner", "", "\x01") }, "cannot be a documentId", "again"},
		{"a link to nothing", func(e *store.Entry) { link(e, "partner", "", "gone") }, "a link leads to nothing", "note"},
		{"a value again", func(e *store.Entry) { e.Fields.Set("slug", again) }, `slug: the value "a" must be unique`, "change one"},
		{"a component's value again", func(e *store.Entry) { spec(e).Fields.Set("code", again) }, `specs.code: the value "a" must be unique`, "change one"},
		{"not published", func(e *store.Entry) { e.PublishedAt = 0 }, "does not say since when", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireFault(t, f, contenttest.LiveOf(ids["b"], ""), c.spoil, c.want, c.fix)
		})
	}
}

// requireFault spoils an entry, requires one fault, and restores the entry.
func requireFault(t *testing.T, f *contenttest.Fixture, k store.Key, spoil func(*store.Entry), want, fix string) {
	t.Helper()
	uid := f.Kind("thing").UID
	before := f.Stored("thing", k)
	spoiled := f.Stored("thing", k)
	spoil(spoiled)
	change := func(from, to *store.Entry) {
		if err := f.DB.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: uid, Before: from, After: to}) }); err != nil {
			t.Fatal(err)
		}
	}
	change(before, spoiled)
	defer change(spoiled, before)
	found := false
	for _, fault := range contenttest.Audit(t, f.Site, f.DB) {
		text := fault.Place + ": " + fault.Message
		if strings.Contains(text, want) {
			found = true
			if fault.Note != (fix == "note") || fault.Repairable() != (fix == "") || !fault.Note && !strings.Contains(fault.Fix, fix) {
				t.Errorf("%+v, want the fix %q", fault, fix)
			}
		} else if fault.Place != "" && !fault.Repairable() && !fault.Note {
			t.Errorf("it finds, besides, %s", text)
		}
	}
	if !found {
		t.Errorf("no %q in %+v", want, contenttest.Audit(t, f.Site, f.DB))
	}
}

func spec(e *store.Entry) *store.Instance { return &e.Value("specs").Instances[0] }

func edgesOf(e *store.Entry, name string) []store.Edge { return e.Value(name).Edges }

func link(e *store.Entry, name, kind string, targets ...string) {
	var edges []store.Edge
	for _, target := range targets {
		edges = append(edges, store.Edge{Target: target, Type: kind, Place: 1})
	}
	e.Fields = e.Fields.With(name, store.Value{Kind: store.Edges, Edges: edges})
}

// Two documents have what only one may have.
func TestAuditOfWhatMayBeOnce(t *testing.T) {
	f := contenttest.New(t, contenttest.Kitchen(t))
	a, b, c := f.Create("thing", `{"slug": "a"}`, contenttest.AsDraft), f.Create("thing", `{"slug": "b"}`, contenttest.AsDraft), f.Create("thing", `{"slug": "c"}`, contenttest.AsDraft)
	f.Update("thing", a, `{"partner": "`+c+`"}`, contenttest.AsDraft)
	e := f.MustRead("thing", contenttest.DraftOf(b, ""))
	changed := *e
	link(&changed, "partner", "", c)
	apply := func(from, to *store.Entry) {
		if err := f.DB.Update(func(tx *store.Tx) error {
			return tx.Apply(store.Change{Type: "api::thing.thing", Before: from, After: to})
		}); err != nil {
			t.Fatal(err)
		}
	}
	apply(e, &changed)
	defer apply(&changed, e)
	faults := contenttest.Audit(t, f.Site, f.DB)
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "only one may") || faults[0].Fix == "" || faults[0].Note {
		t.Errorf("%+v", faults)
	}
}

func TestSequencesAreCheckedAtStart(t *testing.T) {
	site := contenttest.LoadSite(t, contenttest.MapSite(`"name": {"type": "string"}`))
	f := contenttest.New(t, site)
	f.Create("one", `{"name": "a"}`)
	check := func() (err error) {
		x := contenttest.Build(t, site, f.DB)
		f.DB.View(func(tx *store.Tx) error { err = verify.CheckSequences(site, tx, x.Snapshot()); return nil })
		return err
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	reset := func(n uint64) {
		if err := f.DB.Update(func(tx *store.Tx) error { return tx.SetSequence("api::one.one", n) }); err != nil {
			t.Fatal(err)
		}
	}
	reset(1)
	if err := check(); err == nil || !strings.Contains(err.Error(), "stands at 1, and the highest id in use is 2") || !strings.Contains(err.Error(), "quire check --repair") {
		t.Errorf("%v", err)
	}
	reset(1 << 60)
	if err := check(); err == nil || !strings.Contains(err.Error(), "stands at 1152921504606846976") {
		t.Errorf("%v", err)
	}
	if repaired, err := verify.Repair(t.Context(), f.DB, site); err != nil || len(repaired) != 1 || check() != nil {
		t.Errorf("%v, %v", repaired, err)
	}
}

// The sequence of versions must also be beyond removed versions. Otherwise the history
// would mistake the next version for a former one.
func TestSequenceOfVersions(t *testing.T) {
	f := contenttest.New(t, contenttest.LoadSite(t, contenttest.MapSite(`"name": {"type": "string"}`)))
	f.Create("one", `{"name": "a"}`)
	gone := f.Create("one", `{"name": "b"}`, contenttest.AsDraft)
	for _, last := range []uint64{2, 3} {
		if err := f.DB.Update(func(tx *store.Tx) error { return tx.SetSequence(history.VersionsSequence, 1) }); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint("it is 1, and the highest number in use is ", last)
		if faults := contenttest.Audit(t, f.Site, f.DB); len(faults) != 1 || faults[0].Message != want {
			t.Errorf("%+v, want %q", faults, want)
		}
		if _, err := verify.Repair(t.Context(), f.DB, f.Site); err != nil || len(contenttest.Audit(t, f.Site, f.DB)) > 0 {
			t.Errorf("after a repair: %v", err)
		}
		if last == 2 {
			f.Delete("one", gone, "")
		}
	}
}
