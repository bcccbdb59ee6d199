package content

import (
	"errors"
	"fmt"

	"quire/schema"
	"quire/store"
)

var errNoHash = errors.New("content: the writer cannot hash passwords")

// hashPasswords replaces the passwords of an input by their hashes, which takes
// long and so must not happen inside a batch. What limits their text is checked
// here, where there still is one.
func (w *Writer) hashPasswords(r Request) error {
	if r.Input == nil || !givesPassword(r.Input.fields) {
		return nil
	}
	strict := r.Status != store.Draft || !r.Type.DraftAndPublish
	var found issues
	passwords := func(fn func(g *given, at path) error) error {
		return each(r.Input.fields, path{}, func(g *given, at path) error {
			if g.attribute.Kind != schema.Password || g.scalar.Kind != store.Text {
				return nil
			}
			return fn(g, at)
		})
	}
	_ = passwords(func(g *given, at path) error {
		scalars[schema.Password].check(g.attribute, g.scalar, at, strict, &found)
		return nil
	})
	if err := found.err(); err != nil {
		return err
	}
	return passwords(func(g *given, at path) error {
		if w.hash == nil {
			return errNoHash
		}
		hash, err := w.hash(g.scalar.Text)
		if err != nil {
			return fmt.Errorf("hashing %s: %w", at, err)
		}
		g.scalar = textValue(hash)
		return nil
	})
}

func givesPassword(fields []given) bool {
	for i := range fields {
		g := &fields[i]
		if g.attribute.Kind == schema.Password && g.scalar.Kind == store.Text {
			return true
		}
		for j := range g.records {
			if givesPassword(g.records[j].fields) {
				return true
			}
		}
	}
	return false
}
