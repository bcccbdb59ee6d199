package migrate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"quire/content"
	"quire/content/audit"
	"quire/content/contenttest"
	"quire/content/history"
	"quire/content/migrate"
	"quire/store"
)

// versions lists all readable former versions, with their contents.
func versions(t *testing.T, f *contenttest.Fixture, uid string, ids ...string) (all []string) {
	t.Helper()
	err := f.DB.View(func(tx *store.Tx) error {
		for _, id := range ids {
			list, err := history.Versions(tx, uid, id)
			if err != nil {
				return err
			}
			for _, v := range list {
				e, err := history.Read(tx, uid, v.Key, v.Revision(), func() error { return nil })
				if err != nil {
					return err
				}
				all = append(all, fmt.Sprintf("%s %d %v %v", v.Key, v.Revision(), v.End, e))
			}
		}
		lost, err := history.Check(t.Context(), tx)
		if len(lost) > 0 {
			t.Errorf("versions are lost, the first: %v", lost[0].Err)
		}
		return err
	})
	check(t, err)
	return all
}

// Renaming types and components changes entries, links and every former version, including
// those of deleted documents, and nothing else. Renaming back restores everything.
func TestRenameTypes(t *testing.T) {
	f := rich(t)
	f.Index = contenttest.Build(t, f.Site, f.DB)
	f.Writer = content.NewWriter(f.DB, f.Index, f.Site, content.WriterOptions{Now: contenttest.Clock()})
	f.Create("dish", `{"title": "Gone", "zone": [{"__component": "part.note", "remark": "x"}]}`, contenttest.Called("gone"))
	f.Update("dish", "gone", `{"title": "Going"}`)
	f.Delete("dish", "gone", "*")
	f.Update("dish", "soup", `{"zone": [{"__component": "part.note", "remark": "pepper"}]}`)
	f.Update("cook", "ada", `{"likes": []}`)
	f.Writer.Close()
	before, listing := versions(t, f, "api::dish.dish", "soup", "stew", "gone"), listed(t, f.DB)
	before = append(before, versions(t, f, "api::cook.cook", "ada")...)
	if len(before) < 15 {
		t.Fatalf("there is little history: %d", len(before))
	}

	to := renamedMenu(t)
	e := migrate.Evolution{From: f.Site, To: to, Types: []migrate.Rename{{Old: "api::dish.dish", New: "api::food.food"}, {Old: "part.note", New: "extra.remark"}}}
	plan, err := e.Plan(t.Context(), f.DB, migrate.Bounds{})
	if err != nil || !strings.HasPrefix(plan.Text(), "api::food.food: 6 entries, stored as api::dish.dish\n") || len(plan.Of(migrate.Unconvertible)) > 0 {
		t.Fatalf("%s, %v", plan.Text(), err)
	}
	if _, err := e.Migrate(t.Context(), f.DB, nil); err != nil {
		t.Fatal(err)
	}
	requireEvolved(t, f, migrate.Evolution{To: to})
	r := strings.NewReplacer("api::dish.dish", "api::food.food", "part.note", "extra.remark")
	if got, want := listed(t, f.DB), r.Replace(listing); sortedLines(got) != sortedLines(want) {
		t.Errorf("it holds\n%s\nwant\n%s", got, want)
	}
	after := append(versions(t, f, "api::food.food", "soup", "stew", "gone"), versions(t, f, "api::cook.cook", "ada")...)
	for i := range before {
		before[i] = r.Replace(before[i])
	}
	if !slices.Equal(before, after) {
		t.Errorf("the history was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	back := migrate.Evolution{From: to, To: menu(t), Types: []migrate.Rename{{Old: "api::food.food", New: "api::dish.dish"}, {Old: "extra.remark", New: "part.note"}}}
	if _, err := back.Migrate(t.Context(), f.DB, nil); err != nil {
		t.Fatal(err)
	}
	requireEvolved(t, f, back)
	if got := listed(t, f.DB); got != listing {
		t.Errorf("there and back, it holds\n%s\nand held\n%s", got, listing)
	}
}

// The audit log has the names of types at the time of each line.
func TestRenameTypesLeavesTheAuditLog(t *testing.T) {
	f := rich(t)
	log := audit.NewLog(f.DB)
	for _, outcome := range []audit.Outcome{audit.Done, audit.Refused} {
		check(t, log.Note(nil, audit.Event{Action: "content.update", Target: audit.Target{Type: "api::dish.dish", ID: "soup"}, Outcome: outcome}))
	}
	before, err := log.Read(audit.Query{}, 0)
	check(t, err)
	e := migrate.Evolution{To: renamedMenu(t), Types: []migrate.Rename{{Old: "api::dish.dish", New: "api::food.food"}, {Old: "part.note", New: "extra.remark"}}}
	if _, err := e.Migrate(t.Context(), f.DB, nil); err != nil {
		t.Fatal(err)
	}
	requireEvolved(t, f, migrate.Evolution{To: e.To})
	if after, err := log.Read(audit.Query{}, 0); err != nil || len(after.Lines) != 2 || fmt.Sprintf("%s", after.Lines) != fmt.Sprintf("%s", before.Lines) {
		t.Errorf("it was %s and is %s, %v", before.Lines, after.Lines, err)
	}
}

func sortedLines(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestRefusedEvolutions(t *testing.T) {
	f := rich(t)
	for _, c := range []struct {
		e    migrate.Evolution
		want string
	}{
		{migrate.Evolution{Types: []migrate.Rename{{Old: "api::x.x", New: "api::y.y"}}}, "has no type api::y.y"},
		{migrate.Evolution{Types: []migrate.Rename{{Old: "api::cook.cook", New: "api::dish.dish"}}}, "still has the type api::cook.cook"},
		{migrate.Evolution{Types: []migrate.Rename{{Old: "api::x.x", New: "plugin::upload.file"}}}, "is built in"},
		{migrate.Evolution{Types: []migrate.Rename{{Old: "api::x.x", New: "api::dish.dish"}, {Old: "api::y.y", New: "api::dish.dish"}}}, "renamed twice"},
		{migrate.Evolution{Attributes: []migrate.Rename{{Type: "api::dish.dish", Old: "title", New: "spare"}}}, `still has the attribute "title"`},
		{migrate.Evolution{Drop: []migrate.Removed{{Type: "api::dish.dish"}}}, "still has the type api::dish.dish"},
		{migrate.Evolution{Drop: []migrate.Removed{{Type: "api::dish.dish", Attribute: "title"}}}, `still has the attribute "title"`},
	} {
		c.e.To = menu(t)
		if _, err := c.e.Migrate(t.Context(), f.DB, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// After random writes, types are renamed and renamed back, and no former version is lost or
// changed, including those of deleted documents.
func TestRenameTypesAfterRandomWrites(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range 6 {
		g := &contenttest.Gambler{Fixture: contenttest.New(t, contenttest.Guide(t)), Rand: rand.New(rand.NewPCG(seed, uint64(round)))}
		for range 120 {
			g.Move()
		}
		g.Writer.Close()
		var there, back []migrate.Rename
		for _, kind := range append(g.Site.Types, g.Site.Components...) {
			if !kind.BuiltIn {
				there = append(there, migrate.Rename{Old: kind.UID, New: kind.UID + "-anew"})
				back = append(back, migrate.Rename{Old: kind.UID + "-anew", New: kind.UID})
			}
		}
		before := everything(t, g.Fixture)
		if strings.Contains(before, "versions: 0\n") {
			t.Fatal("there is no history")
		}
		check(t, migrate.RenameStored(t.Context(), g.DB, there))
		if got := strings.ReplaceAll(everything(t, g.Fixture), "-anew", ""); sortedLines(got) != sortedLines(before) {
			t.Fatalf("round %d: it holds\n%s\nand held\n%s", round, got, before)
		}
		check(t, migrate.RenameStored(t.Context(), g.DB, back))
		if got := everything(t, g.Fixture); got != before {
			t.Fatalf("round %d: back again, it holds\n%s\nand held\n%s", round, got, before)
		}
		g.Index = contenttest.Build(t, g.Site, g.DB)
	}
}

// everything returns all entries, and all former versions of all documents.
func everything(t *testing.T, f *contenttest.Fixture) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(listed(t, f.DB))
	err := f.DB.View(func(tx *store.Tx) error {
		lost, err := history.Check(t.Context(), tx)
		for _, one := range lost {
			fmt.Fprintln(&b, "lost:", one.Err)
		}
		n, more := history.Count(tx)
		fmt.Fprintln(&b, "versions:", n)
		return errors.Join(err, more)
	})
	for _, uid := range typesIn(t, f.DB) {
		for _, line := range versions(t, f, uid, documentsIn(t, f.DB, uid)...) {
			fmt.Fprintln(&b, uid, line)
		}
	}
	check(t, err)
	return b.String()
}

func typesIn(t *testing.T, db *store.DB) (uids []string) {
	t.Helper()
	check(t, db.View(func(tx *store.Tx) error { uids = tx.Types(); return nil }))
	return uids
}

func documentsIn(t *testing.T, db *store.DB, uid string) (ids []string) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		return tx.Scan(uid, func(e *store.Entry) error {
			if !slices.Contains(ids, e.DocumentID) {
				ids = append(ids, e.DocumentID)
			}
			return nil
		})
	})
	check(t, err)
	return ids
}
