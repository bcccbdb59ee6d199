package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"quire/content/history"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// Evolution converts the content of one version of a site to another one: types and
// attributes get other names, values become those of another kind, unwanted ones are
// deleted, and types become localized or stop being localized. First show its
// [Evolution.Plan], then carry it out:
//
//	e := migrate.Evolution{From: served, To: wanted,
//		Attributes: []migrate.Rename{{Type: "api::dish.dish", Old: "title", New: "name"}}}
//	plan, err := e.Plan(ctx, db, migrate.Bounds{Examples: 5, Time: 10 * time.Second})
//	// show plan.Effects, and plan.Refused() where it is not nil; then
//	plan, err = e.Migrate(ctx, db, nil)
//
// The schemas that it compares need not be in the site folder: [schema.Load] reads them
// from any file system, for example one with the new files over the old ones. In a running
// server App.PlanEvolution and App.Evolve of package app do it: they know the served site,
// prevent writes, write the schema files at the right moment and serve the new site.
//
// What To does not have any more stays in the data file and is hidden, unless Drop names
// it.
type Evolution struct {
	From *schema.Site `json:"-"` // the site of the content; nil if unknown
	To   *schema.Site `json:"-"`

	Types      []Rename     // content types and components; Type is empty
	Attributes []Rename     // of types, by their names in To
	Drop       []Removed    // what is deleted
	Only       []Removed    // what is converted; empty for everything necessary
	Lossy      bool         // delete values that cannot be converted, and cut lists; otherwise they refuse the evolution
	KeepsAll   bool         // a locale with content that To does not have refuses the evolution; otherwise the content is hidden
	Mark       string       // stored in the data file, so that [LastMark] identifies its content; empty for none
	Localized  Localization // how types become localized or stop being localized; its Keep also says which of two values of one name stays

	former map[string]string // names that types had in From, if the content already has the new ones
}

// Rename gives something another name.
type Rename struct {
	Type     string `json:"type,omitempty"` // uid of the type that has the attribute; empty for types
	Old, New string
}

// Removed identifies an attribute or, without one, a whole type.
type Removed struct {
	Type      string // name in To, or the stored one if To does not have it
	Attribute string // stored name
}

// Plan returns what an evolution does to the content, and changes nothing. It reads one
// moment of the data file, within the bounds. Errors: *MigrationError for an evolution that
// contradicts its sites, the context's, and the store's.
func (e Evolution) Plan(ctx context.Context, db *store.DB, bounds Bounds) (plan *Plan, err error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	err = db.View(func(tx *store.Tx) error {
		v, err := e.evolver(ctx, tx, bounds)
		if err != nil {
			return err
		}
		if plan, err = v.plan(ctx); err != nil {
			return err
		}
		if err := e.planLocales(ctx, db, tx, plan); err != nil {
			return err
		}
		return e.addStranded(ctx, tx, plan)
	})
	return plan, err
}

// Unfit says which values do not fit the schemas of a site, by the content of one moment:
// those that would have to be converted, and those that break a rule; but for those that
// must be unique and are not, which package audit finds.
func Unfit(ctx context.Context, tx *store.Tx, site *schema.Site, bounds Bounds) ([]Effect, error) {
	v, err := Evolution{To: site}.evolver(ctx, tx, bounds)
	if err != nil {
		return nil, err
	}
	v.unique = nil
	plan, err := v.plan(ctx)
	if err != nil {
		return nil, err
	}
	return plan.Of(Converted, Unconvertible, Cut, Failing), nil
}

// Migrate carries out an evolution, all of it or nothing: on a copy of the data file that
// replaces it when it is complete. ready, which may be nil, is called directly before that,
// or if there is nothing to change; its error ends the migration. Nobody else may be
// writing to db, and indexes of it must be built again. Errors: *MigrationError, if the
// plan refuses it, ready's, the context's, and the store's.
func (e Evolution) Migrate(ctx context.Context, db *store.DB, ready func() error) (*Plan, error) {
	if ready == nil {
		ready = func() error { return nil }
	}
	plan, err := e.Plan(ctx, db, Bounds{})
	if err == nil {
		err = plan.Refused()
	}
	switch {
	case err != nil:
		return plan, err
	case !plan.Changes() && len(e.Types) == 0:
		return plan, ready()
	}
	return plan, db.Rework(func(work *store.DB) error {
		if err := e.rework(ctx, db, work); err != nil {
			return err
		}
		if err := e.mark(work); err != nil {
			return err
		}
		return ready()
	})
}

// MigrateInstalling carries out an evolution together with schema files, both or neither.
// install writes the files, directly before the migrated content replaces the former one, and
// returns what restores the former files. That is called if the former content stays. Errors:
// those of Migrate, and *MigrationError if the files cannot be written.
func (e Evolution) MigrateInstalling(ctx context.Context, db *store.DB, install func() (undo func() error, err error)) (*Plan, error) {
	var undo func() error
	plan, err := e.Migrate(ctx, db, func() (err error) {
		if undo, err = install(); err != nil {
			err = errors.Join(&MigrationError{"the schema files cannot be written"}, err)
		}
		return err
	})
	if err != nil && undo != nil && !db.Suspended() {
		err = errors.Join(err, undo())
	}
	return plan, err
}

// ErrOutdated reports that the site or its content has changed since a plan.
var ErrOutdated = &MigrationError{"the site or its content has changed since the plan was made; look at the plan again"}

// Where a data file has the mark of the evolution that changed it last.
const (
	markRecords = "schemas"
	markRecord  = "change"
)

func (e Evolution) mark(work *store.DB) error {
	if e.Mark == "" {
		return nil
	}
	return work.Update(func(tx *store.Tx) error { return tx.PutRecord(markRecords, markRecord, []byte(e.Mark)) })
}

// LastMark returns the Mark of the last evolution that had one and changed the content of
// the file.
func LastMark(db *store.DB) (mark string, err error) {
	err = db.View(func(tx *store.Tx) error {
		text, err := tx.Record(markRecords, markRecord)
		mark = string(text)
		return err
	})
	return mark, err
}

// rework changes the copy: first names of types, then the content of entries, then locales.
func (e Evolution) rework(ctx context.Context, db, work *store.DB) error {
	if err := e.renameTypes(ctx, db, work); err != nil {
		return err
	}
	renamed := e
	renamed.Types = nil
	renamed.former = e.names()
	if err := renamed.change(ctx, work); err != nil {
		return err
	}
	if e.relocates(work) {
		return work.Rework(func(to *store.DB) error {
			_, err := e.Localized.Migrate(ctx, work, to, e.To)
			return err
		})
	}
	return nil
}

// change carries out the changes of entries.
func (e Evolution) change(ctx context.Context, work *store.DB) error {
	var names, undrafted []store.Name
	var v *evolver
	err := work.View(func(tx *store.Tx) (err error) {
		if v, err = e.evolver(ctx, tx, Bounds{}); err != nil {
			return err
		}
		if undrafted, err = v.lackingDrafts(ctx); err != nil {
			return err
		}
		return v.each(ctx, func(uid string, before, after *store.Entry) {
			names = append(names, store.Name{Type: uid, Key: before.Key()})
		})
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(names, migratedAtOnce) {
		err := work.Update(func(tx *store.Tx) error { return v.apply(ctx, tx, some) })
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(undrafted, migratedAtOnce) {
		if err := work.Update(func(tx *store.Tx) error { return makeDrafts(tx, e.To, some) }); err != nil {
			return err
		}
	}
	for _, d := range e.Drop {
		if d.Attribute != "" {
			continue
		}
		if err := (Migration{Type: d.Type}).forget(ctx, work); err != nil {
			return err
		}
	}
	return nil
}

// apply changes some entries in one transaction.
func (v *evolver) apply(ctx context.Context, tx *store.Tx, names []store.Name) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := rewrite(v.To, tx)
	v.tally = newTally(Bounds{})
	v.tx, v.places = tx, &linkPlaces{tx: tx}
	for _, name := range names {
		before, err := tx.Entry(name.Type, name.Key)
		if err != nil {
			return err
		}
		after, _ := v.entry(name.Type, before)
		change := store.Change{Type: name.Type, Before: before, After: after}
		if after == nil {
			err = tx.Apply(change) // the history of what is dropped is removed with it
		} else {
			err = r.Apply(tx, r.Stamp(change))
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(v.places.err, tx.SetSequence(history.VersionsSequence, r.Version))
}

// names returns the new names of types by the old ones.
func (e Evolution) names() map[string]string {
	names := make(map[string]string, len(e.Types))
	for _, r := range e.Types {
		names[r.Old] = r.New
	}
	return names
}

// check compares the evolution with its sites.
func (e Evolution) check() error {
	olds, news := map[string]bool{}, map[string]bool{}
	for _, r := range e.Types {
		switch to := e.To.Type(r.New); {
		case to == nil:
			return unmigrated("the site has no type %s: rename it in the schemas first", r.New)
		case e.To.Type(r.Old) != nil:
			return unmigrated("the site still has the type %s: rename it in the schemas first", r.Old)
		case to.BuiltIn:
			return unmigrated("%s is built in, and is no other type under a new name", r.New)
		case olds[r.Old] || news[r.New]:
			return unmigrated("%s is renamed twice, or to two names", r.Old)
		case e.From != nil && e.From.Type(r.Old) != nil && e.From.Type(r.Old).IsComponent() != to.IsComponent():
			return unmigrated("%s and %s are not both content types, nor both components", r.Old, r.New)
		}
		olds[r.Old], news[r.New] = true, true
	}
	for _, r := range e.Attributes {
		if t := e.To.Type(r.Type); t != nil && t.Attribute(r.Old) == nil && t.Attribute(r.New) != nil && t.Attribute(r.New).IsInverse() {
			continue // its links are turned, and it has none otherwise
		}
		if _, err := (Migration{Type: r.Type, From: r.Old, To: r.New, Keep: e.Localized.Keep}).check(e.To); err != nil {
			return err
		}
	}
	for _, d := range e.Drop {
		if t := e.To.Type(d.Type); t != nil && d.Attribute == "" {
			return unmigrated("the site still has the type %s: remove its schema first, or name an attribute to drop", d.Type)
		} else if t != nil && t.Attribute(d.Attribute) != nil && !e.renamesAway(d) && !e.retargets(d) {
			return unmigrated("%s still has the attribute %q: rename or remove it in the schema first", d.Type, d.Attribute)
		}
	}
	return nil
}

// renamesAway reports whether another attribute takes the name of what is dropped.
func (e Evolution) renamesAway(d Removed) bool {
	return slices.ContainsFunc(e.Attributes, func(r Rename) bool { return r.Type == d.Type && r.New == d.Attribute })
}

// retargets reports whether a dropped relation is replaced by one to another type.
func (e Evolution) retargets(d Removed) bool {
	names, former := e.names(), d.Type
	for old, name := range names {
		if name == d.Type {
			former = old
		}
	}
	if e.From == nil || e.From.Type(former) == nil {
		return false
	}
	from, to := e.From.Type(former).Attribute(d.Attribute), e.To.Type(d.Type).Attribute(d.Attribute)
	if from == nil || from.Kind != schema.RelationKind || to.Kind != schema.RelationKind || from.Relation.Morph() || to.Relation.Morph() {
		return false
	}
	target := from.Relation.Target.UID
	if name, ok := names[target]; ok {
		target = name
	}
	return target != to.Relation.Target.UID
}

// relocates reports whether a type of the new site is stored in locales that it does not
// take.
func (e Evolution) relocates(db *store.DB) (yes bool) {
	_ = db.View(func(tx *store.Tx) error {
		yes = verify.CheckLocalization(e.To, tx) != nil
		return nil
	})
	return yes
}

// planLocales adds the changes of locales.
func (e Evolution) planLocales(ctx context.Context, db *store.DB, tx *store.Tx, plan *Plan) error {
	if len(e.Types) > 0 {
		return e.countRelocated(ctx, tx, plan)
	}
	if verify.CheckLocalization(e.To, tx) == nil {
		return nil
	}
	done, err := e.Localized.plan(ctx, e.To, tx)
	if err != nil {
		return err
	}
	byType := map[string]*Effect{}
	for _, m := range done.Moves {
		f := byType[m.Type]
		if f == nil {
			f = &Effect{Kind: Relocated, Type: m.Type}
			byType[m.Type] = f
		}
		f.Entries += m.Count
	}
	for _, uid := range slices.Sorted(maps.Keys(byType)) {
		f := byType[uid]
		f.Detail = relocation(e.To.Type(uid))
		plan.Effects = append(plan.Effects, *f)
	}
	return nil
}

// relocation describes the change of a type whose entries change their locale.
func relocation(t *schema.Type) string {
	if t != nil && t.Localized {
		return "is localized from now on"
	}
	return "is not localized any more"
}

// countRelocated counts the entries that change their locale if types are renamed at the
// same time. Details are known only after the renames: versions that would replace others,
// or two documents with what only one may have, refuse the change then, and nothing has
// changed.
func (e Evolution) countRelocated(ctx context.Context, tx *store.Tx, plan *Plan) error {
	v := evolver{types: e.names()}
	for _, t := range e.To.Types {
		uid := v.storedUID(t.UID)
		unfit := verify.UnfitLocales(t, tx.Locales(uid))
		if unfit == nil {
			continue
		}
		f := Effect{Kind: Relocated, Type: t.UID, Detail: relocation(t)}
		err := tx.Scan(uid, func(entry *store.Entry) error {
			if slices.Contains(unfit, entry.Locale) {
				f.Entries++
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		plan.Effects = append(plan.Effects, f)
	}
	return nil
}

// Refused returns why the evolution cannot be carried out as planned, nil if it can.
func (p *Plan) Refused() error {
	for _, f := range p.Effects {
		switch {
		case f.Kind == Clashing:
			return unmigrated("%s of %s would replace what is stored as %s already; --keep old or --keep new says which of the two stays", plural(f.Values, "value"), f.place(), f.Detail)
		case f.Kind == Stranded:
			return unmigrated("%s of %s would be hidden, because the site would not have the locale %s any more; delete them first", entries(f.Entries), f.place(), f.Detail)
		case p.Lossy:
		case f.Kind == Unconvertible:
			return unmigrated("%s of %s cannot be converted%s; --drop-unconvertible deletes what cannot, or correct it first", plural(f.Values, "value"), f.place(), f.first())
		case f.Kind == Cut:
			return unmigrated("%s of %s cannot be kept whole%s; --drop-unconvertible cuts them, or correct them first", plural(f.Values, "value"), f.place(), f.first())
		}
	}
	return nil
}

// first returns the first example, for an error.
func (f *Effect) first() string {
	if len(f.Examples) == 0 {
		return ""
	}
	x := f.Examples[0]
	return fmt.Sprintf("; the first, of %s%s: %s", x.Place, cmp.Or(quoted(x.Value), ""), x.Why)
}
