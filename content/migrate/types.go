package migrate

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"quire/content"
	"quire/content/audit"
	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// Types are renamed everywhere in the data file: in entries and their former versions, in
// components and links inside those, in sequences, and in the records that other packages
// store beside the content. This makes no new versions, because callers see the same entries
// as before. The log of changes begins anew, and the audit log stays unchanged.

// renameTypes renames types. work is a copy of db.
func (e Evolution) renameTypes(ctx context.Context, db, work *store.DB) error {
	if len(e.Types) == 0 {
		return nil
	}
	return db.View(func(tx *store.Tx) error {
		v := &typeRenamer{evolver: &evolver{types: e.names()}, tx: tx, work: work, ctx: ctx}
		if err := v.content(); err != nil {
			return err
		}
		if err := history.Rename(tx, v.newUID, v.hiddenFields, v.inBatches); err != nil {
			return err
		}
		return work.Update(v.renameOthers)
	})
}

// typeRenamer renames types in a copy of the data file.
type typeRenamer struct {
	*evolver // knows only the names
	tx       *store.Tx
	work     *store.DB
	ctx      context.Context
	pending  []func(*store.Tx) error
}

// inBatches runs steps on the copy, many in one transaction. nil runs the remaining ones.
func (v *typeRenamer) inBatches(step func(*store.Tx) error) error {
	if step != nil {
		v.pending = append(v.pending, step)
	}
	if step != nil && len(v.pending) < migratedAtOnce {
		return nil
	}
	steps := v.pending
	v.pending = nil
	return v.work.Update(func(tx *store.Tx) error {
		for _, step := range steps {
			if err := step(tx); err != nil {
				return err
			}
		}
		return v.ctx.Err()
	})
}

// content renames types in the current entries.
func (v *typeRenamer) content() error {
	for _, uid := range v.tx.Types() {
		name := v.newUID(uid)
		if name != uid && len(v.tx.Locales(name)) > 0 {
			return unmigrated("there is content of the type %s already", name)
		}
		err := v.tx.Scan(uid, func(e *store.Entry) error {
			fields, changed := v.hiddenFields(e.Fields)
			if uid == schema.RoleUID {
				fields, changed = v.permissions(e.Fields)
			}
			after := *e
			after.Fields = fields
			change := store.Change{Type: name, Before: e, After: &after}
			if name != uid {
				change.Before = nil
			} else if !changed {
				return nil
			}
			return v.inBatches(func(tx *store.Tx) error { return tx.Apply(change) })
		})
		if err != nil {
			return err
		}
		if name != uid {
			if err := v.inBatches(func(tx *store.Tx) error { return tx.Clear(uid) }); err != nil {
				return err
			}
		}
	}
	return v.inBatches(nil)
}

// permissions renames types in the permissions of a role.
func (v *typeRenamer) permissions(fields store.Fields) (after store.Fields, changed bool) {
	after = slices.Clone(fields)
	for i, f := range fields {
		if f.Value.Kind == store.JSON {
			after[i].Value.Text = v.inText(f.Value.Text)
			changed = changed || after[i].Value.Text != f.Value.Text
		}
	}
	return after, changed
}

// inText replaces the names of types in the text of a record.
func (v *typeRenamer) inText(text string) string {
	for _, old := range slices.Sorted(maps.Keys(v.types)) {
		text = replaceUID(text, old, v.types[old])
	}
	return text
}

// renameOthers renames sequences and records, and begins the log anew.
func (v *typeRenamer) renameOthers(tx *store.Tx) error {
	var errs []error
	for old, name := range v.types {
		for _, sequence := range [][2]string{{old, name}, {content.PlaceSequence(old), content.PlaceSequence(name)}} {
			if n := tx.Sequence(sequence[0]); n > tx.Sequence(sequence[1]) {
				errs = append(errs, tx.SetSequence(sequence[1], n))
			}
		}
		errs = append(errs, tx.Forget(old, old, content.PlaceSequence(old)))
	}
	for _, bucket := range tx.RecordBuckets() {
		if audit.IsBucket(bucket) {
			continue // it has the names of that time
		}
		errs = append(errs, tx.Records(bucket, func(key string, value []byte) error {
			return v.record(tx, bucket, key, value)
		}))
	}
	_, err := tx.TrimLog(math.MaxUint64, math.MaxInt)
	return errors.Join(append(errs, err)...)
}

// record renames types in one record: in its key and, if it is JSON, in its value.
func (v *typeRenamer) record(tx *store.Tx, bucket, key string, value []byte) error {
	name, text := v.inText(key), string(value)
	if len(value) > 0 && (value[0] == '{' || value[0] == '[') {
		text = v.inText(text)
	}
	if name == key && text == string(value) {
		return nil
	}
	if name != key {
		if err := tx.DeleteRecord(bucket, key); err != nil {
			return err
		}
	}
	return tx.PutRecord(bucket, name, []byte(text))
}
