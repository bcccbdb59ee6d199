package migrate

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"quire/content/history"
	"quire/content/review"
	"quire/schema"
	"quire/store"
)

// Localization adapts stored content to types that have become localized, or stopped being
// localized.
//
// If a type has become localized, its entries get a locale. If it no longer is, each
// document keeps the version in one locale as the entry; those in others are kept aside,
// and return when the type becomes localized again.
type Localization struct {
	Locale string // that entries get, or that is kept; empty for the site's default
	Keep   Kept   // which version stays if one would replace another
}

// Localized is what a Localization changes.
type Localized struct {
	Moves []LocalizedEntries // by type, locale and status
	Links int                // that named another locale of their document, and no longer do
}

// LocalizedEntries counts the entries of one type that change their locale in the
// same way.
type LocalizedEntries struct {
	Type     string
	From, To string // stored locales; empty for none
	Removed  bool   // they are deleted: their document no longer exists, or Keep says so
	Status   string
	Count    int
}

// Preview returns what Migrate would do, and changes nothing. Errors: those of Migrate.
func (l Localization) Preview(ctx context.Context, db *store.DB, site *schema.Site) (done *Localized, err error) {
	err = db.View(func(tx *store.Tx) error {
		done, err = l.plan(ctx, site, tx)
		return err
	})
	return done, err
}

// Migrate carries out a localization on to, which is a copy of from that nobody else uses:
// it takes several transactions, and an error leaves it incomplete. Errors:
// *MigrationError, the context's, and the store's.
func (l Localization) Migrate(ctx context.Context, from, to *store.DB, site *schema.Site) (done *Localized, err error) {
	err = from.View(func(tx *store.Tx) error {
		if done, err = l.plan(ctx, site, tx); err != nil {
			return err
		}
		v, err := l.localizer(site, tx)
		if err != nil {
			return err
		}
		for _, part := range []func(*store.Entry, *store.Entry) []store.Change{removals, additions} {
			if err := v.apply(ctx, to, part); err != nil {
				return err
			}
		}
		return to.Update(v.remember)
	})
	return done, err
}

// removals and additions are the two halves of a change of an entry: all entries that leave
// a name are removed before any takes it.
func removals(before, after *store.Entry) []store.Change {
	if after == nil || before.Key() != after.Key() {
		return []store.Change{{Before: before}}
	}
	return nil
}

func additions(before, after *store.Entry) []store.Change {
	switch {
	case after == nil:
		return nil
	case before.Key() != after.Key():
		before = nil
	}
	return []store.Change{{Before: before, After: after}}
}

// apply changes the copy, some entries at a time.
func (v *localizer) apply(ctx context.Context, to *store.DB, part func(before, after *store.Entry) []store.Change) error {
	var changes []store.Change
	flush := func() error {
		gathered := changes
		changes = nil
		return to.Update(func(tx *store.Tx) error {
			r := rewrite(v.site, tx)
			for _, c := range gathered {
				if err := r.Apply(tx, r.Stamp(c)); err != nil {
					return err
				}
			}
			return tx.SetSequence(history.VersionsSequence, r.Version)
		})
	}
	err := v.each(ctx, func(uid string, before, after *store.Entry) error {
		for _, c := range part(before, after) {
			c.Type = uid
			changes = append(changes, c)
		}
		if len(changes) < migratedAtOnce {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// each calls fn for every entry that changes; after is nil for a deleted one.
func (v *localizer) each(ctx context.Context, fn func(uid string, before, after *store.Entry) error) error {
	for _, uid := range v.tx.Types() {
		err := v.tx.Scan(uid, func(e *store.Entry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			after, changed, err := v.entry(uid, e)
			if err != nil || !changed {
				return err
			}
			return fn(uid, e, after)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// plan reads all content, and refuses what could not be completed.
func (l Localization) plan(ctx context.Context, site *schema.Site, tx *store.Tx) (*Localized, error) {
	v, err := l.localizer(site, tx)
	if err != nil {
		return nil, err
	}
	counts := map[LocalizedEntries]int{}
	err = v.each(ctx, func(uid string, before, after *store.Entry) error {
		move := LocalizedEntries{Type: uid, From: before.Locale, Status: before.Status.String(), Removed: after == nil}
		if after != nil {
			move.To = after.Locale
		}
		v.gather(v.site.Type(uid), before, after)
		counts[move]++
		return nil
	})
	if err == nil {
		err = v.refused()
	}
	if err != nil {
		return nil, err
	}
	done := &Localized{Links: v.links}
	for move, n := range counts {
		move.Count = n
		done.Moves = append(done.Moves, move)
	}
	slices.SortFunc(done.Moves, func(a, b LocalizedEntries) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Status, b.Status))
	})
	return done, nil
}

// refused returns what prevents a localization.
func (v *localizer) refused() error {
	switch {
	case v.both > 0:
		return unmigrated("%s would take the place of another version of the document, the first: %s; --keep old lets what moves take the place, --keep new keeps what is there, and --locale names another locale", plural(v.both, "version"), v.firstBoth)
	case v.after.count > v.before.count:
		return unmigrated("two documents would hold what one may, the first: %s; take the change of the schema back, change one of the two, and try again", v.after.first)
	}
	return nil
}

// formerly is the bucket of records with the documents of a type that is no longer
// localized that had no version in the kept locale, and the one that they have kept
// instead.
const formerly = "localization"

func otherLocales(tx *store.Tx, uid string) (map[string]string, error) {
	locales := map[string]string{}
	record, err := tx.Record(formerly, uid)
	if err == nil && record != nil {
		err = json.Unmarshal(record, &locales)
	}
	return locales, err
}

// remember stores what is needed if the types become localized again.
func (v *localizer) remember(tx *store.Tx) error {
	for _, t := range slices.SortedFunc(maps.Keys(v.types), func(a, b *schema.Type) int { return cmp.Compare(a.UID, b.UID) }) {
		others := v.types[t].others
		err := review.Relocate(tx, t.UID, func(documentID string) (from, to string) {
			if t.Localized {
				return "", v.types[t].locale(documentID)
			}
			return v.types[t].locale(documentID), ""
		})
		if err != nil {
			return err
		}
		if t.Localized || len(others) == 0 {
			if err := tx.DeleteRecord(formerly, t.UID); err != nil {
				return err
			}
			continue
		}
		record, err := json.Marshal(others)
		if err == nil {
			err = tx.PutRecord(formerly, t.UID, record)
		}
		if err != nil {
			return err
		}
	}
	return review.Sweep(tx)
}
