package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"quire/content/history"
	"quire/content/review"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// Migration adapts stored content to a changed schema: it moves the values of an attribute
// to another name, or removes what the schemas do not have any more.
type Migration struct {
	Type string // uid of a content type or a component
	From string // stored name of the attribute; empty for the whole type
	To   string // new name in the schema; empty to drop it
	Keep Kept   // which value stays if both are stored
}

// Kept says which of two values a rename keeps.
type Kept string

const (
	KeepNeither Kept = ""    // having both is an error
	KeepOld     Kept = "old" // the one that moves
	KeepNew     Kept = "new" // the existing one
)

// Migrated is what a migration changes.
type Migrated struct {
	Entries    []MigratedEntries // by type, locale and status
	Components int               // instances, inside those
	Links      int               // to a type that is dropped, inside those
}

// MigratedEntries counts the entries of one type, locale and status.
type MigratedEntries struct {
	Type   string
	Locale string // empty without one
	Status string
	Count  int
}

// Total is the number of entries.
func (m *Migrated) Total() (n int) {
	for _, e := range m.Entries {
		n += e.Count
	}
	return n
}

// MigrationError says why a migration cannot be carried out. Nothing was changed.
type MigrationError struct{ Problem string }

func (e *MigrationError) Error() string { return e.Problem }

func unmigrated(format string, args ...any) error {
	return &MigrationError{fmt.Sprintf(format, args...)}
}

// Preview returns what Migrate would do, and changes nothing. Errors: those of Migrate.
func (m Migration) Preview(ctx context.Context, db *store.DB, site *schema.Site) (*Migrated, error) {
	done, _, err := m.plan(ctx, db, site)
	return done, err
}

// migratedAtOnce is the number of entries that one transaction changes: a large one takes
// as much memory as the file is long.
const migratedAtOnce = 8192

// Migrate carries out a migration. It checks first whether that is possible. It takes
// several transactions if there is much to change, and if one of them fails it can be
// repeated: what has moved is not moved again. Nobody else may be writing to db, and
// indexes of it must be built again. Errors: *MigrationError, if nothing has been done, the
// context's, and the store's.
func (m Migration) Migrate(ctx context.Context, db *store.DB, site *schema.Site) (*Migrated, error) {
	done, names, err := m.plan(ctx, db, site)
	if err != nil {
		return nil, err
	}
	changed := 0
	for some := range slices.Chunk(names, migratedAtOnce) {
		if err := m.change(ctx, db, site, some); err != nil {
			return nil, fmt.Errorf("%d of %d entries are changed; do it again to finish: %w", changed, len(names), err)
		}
		changed += len(some)
	}
	return done, m.forget(ctx, db)
}

// forget removes the history of a type that is dropped, that of deleted documents too.
func (m Migration) forget(ctx context.Context, db *store.DB) error {
	if m.From != "" {
		return nil
	}
	for at, more := (history.VersionKey{}), true; more; more = !at.IsZero() {
		err := db.Update(func(tx *store.Tx) (err error) {
			if at.IsZero() {
				err = review.Sweep(tx)
			}
			if err == nil {
				at, err = history.ForgetType(tx, m.Type, at, migratedAtOnce)
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// plan reads all content, and returns the entries that are to be changed.
func (m Migration) plan(ctx context.Context, db *store.DB, site *schema.Site) (done *Migrated, names []store.Name, err error) {
	to, err := m.check(site)
	if err != nil {
		return nil, nil, err
	}
	err = db.View(func(tx *store.Tx) error {
		if err := verify.CheckLocalization(site, tx); err != nil {
			return err
		}
		v := m.mover(site, tx, to)
		for _, uid := range tx.Types() {
			err := tx.Scan(uid, func(e *store.Entry) error {
				if _, changes := v.entry(uid, e); changes {
					names = append(names, store.Name{Type: uid, Key: e.Key()})
				}
				return ctx.Err()
			})
			if err != nil {
				return err
			}
		}
		done, err = v.result()
		return err
	})
	return done, names, err
}

// change carries a migration out on some entries, in one transaction.
func (m Migration) change(ctx context.Context, db *store.DB, site *schema.Site, names []store.Name) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	to, err := m.check(site)
	if err != nil {
		return err
	}
	return db.Update(func(tx *store.Tx) error {
		v, r := m.mover(site, tx, to), rewrite(site, tx)
		for _, name := range names {
			e, err := tx.Entry(name.Type, name.Key)
			if err != nil {
				return err
			}
			if change, changes := v.entry(name.Type, e); changes {
				if err := m.apply(tx, r, r.Stamp(change)); err != nil {
					return err
				}
			}
		}
		return tx.SetSequence(history.VersionsSequence, r.Version)
	})
}

// rewrite is what one transaction of a migration changes.
func rewrite(site *schema.Site, tx *store.Tx) *history.Rewrite {
	return history.NewRewrite(site, tx.Sequence(history.VersionsSequence)+1, store.ActionMigrate, "migrate")
}

// apply carries a change out. What is dropped as a whole leaves no history.
func (m Migration) apply(tx *store.Tx, r *history.Rewrite, c store.Change) error {
	if m.From == "" && c.Type == m.Type {
		return tx.Apply(c)
	}
	return r.Apply(tx, c)
}

// check compares the migration with the schemas, and returns the attribute that
// a rename moves to.
func (m Migration) check(site *schema.Site) (to *schema.Attribute, err error) {
	t := site.Type(m.Type)
	switch {
	case m.From == "" && t == nil:
		return nil, nil
	case m.From == "":
		return nil, unmigrated("the site still has the type %s: remove its schema first, or name an attribute to drop", m.Type)
	case t == nil:
		return nil, unmigrated("the site has no type %s; without an attribute, `quire migrate drop` removes all content of a type", m.Type)
	case t.Attribute(m.From) != nil:
		return nil, unmigrated("%s still has the attribute %q: rename or remove it in the schema first", m.Type, m.From)
	case m.To == "":
		return nil, nil
	}
	to = t.Attribute(m.To)
	switch {
	case to == nil || to.System != schema.NotSystem:
		return nil, unmigrated("%s has no attribute %q: rename it in the schema first", m.Type, m.To)
	case to.Relation != nil && !to.Relation.Owns:
		return nil, unmigrated("the links of %s.%s are stored on its other side: there is nothing to move", m.Type, m.To)
	case !slices.Contains([]Kept{KeepNeither, KeepOld, KeepNew}, m.Keep):
		return nil, unmigrated("of two values, the %q one or the %q one can be kept, not %q", KeepOld, KeepNew, m.Keep)
	}
	return to, nil
}
