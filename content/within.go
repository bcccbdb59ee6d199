package content

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Conditions on rights. For a caller with a filter, entries that do not meet it do not exist: a
// write finds, links and copies none of them. Of the documents that the write is about, each entry
// that it changes must meet the conditions of a right before and after it, so that nothing enters
// or leaves the reach of the caller unless one right has both. Changes of other documents through
// links change nothing that conditions are about.

// filter returns which entries of a type exist for the caller; nil for all.
func (op *operation) filter(t *schema.Type) *schema.Filter {
	if op.access == nil {
		return nil
	}
	return op.access.Filter(t)
}

// has reports whether an entry exists for the caller.
func (op *operation) has(t *schema.Type, e *store.Entry) bool {
	return index.Meets(op.filter(t), t, e.Fields)
}

// hasKey is has for a stored entry; false if there is none.
func (op *operation) hasKey(t *schema.Type, k store.Key) (bool, error) {
	if op.filter(t) == nil {
		return op.exists(t, k), nil
	}
	e, err := op.entry(t, k)
	return e != nil && op.has(t, e), err
}

// some reports whether a version of a document meets something; true for a document without
// versions, and for a locale that it does not have. An empty locale is all of them.
func (op *operation) some(t *schema.Type, documentID, locale string, meets func(store.Fields) bool) (bool, error) {
	none := true
	for _, k := range op.versions(t, documentID) {
		if t.Localized && locale != "" && locale != AllLocales && k.Locale != locale {
			continue
		}
		none = false
		e, err := op.entry(t, k)
		if err != nil || e != nil && meets(e.Fields) {
			return err == nil, err
		}
	}
	return none, nil
}

// find refuses a document that does not exist for the caller.
func (op *operation) find(t *schema.Type, documentID string) error {
	f := op.filter(t)
	if f == nil {
		return nil
	}
	found, err := op.some(t, documentID, "", func(fields store.Fields) bool { return index.Meets(f, t, fields) })
	if err == nil && !found {
		err = &NotFoundError{t.UID, documentID}
	}
	return err
}

// seenOf returns those versions of a document that exist for the caller.
func (op *operation) seenOf(t *schema.Type, versions []store.Key) (some []store.Key, err error) {
	for _, k := range versions {
		has, err := op.hasKey(t, k)
		if err != nil {
			return nil, err
		}
		if has {
			some = append(some, k)
		}
	}
	return some, nil
}

// outside refuses what is not in the reach of the caller. It names the conditions, unless one is
// about an attribute that the caller does not see.
func (op *operation) outside(t *schema.Type, ways ...[]schema.Equality) error {
	var texts []string
	sight := op.access.Sight(t)
	for _, way := range ways {
		var all []string
		for _, c := range way {
			if a := t.Attribute(c.Attribute); a == nil || !sight.Sees(a) {
				return &ForbiddenError{Message: "Your role does not reach these entries"}
			}
			all = append(all, fmt.Sprintf("%s is %q", c.Attribute, c.Value))
		}
		texts = append(texts, strings.Join(all, " and "))
	}
	if len(texts) == 0 {
		return &ForbiddenError{Message: "Your role does not reach these entries"}
	}
	return &ForbiddenError{Message: "Your role reaches entries where " + strings.Join(texts, ", or where ") + ", and they stay so"}
}

// staysWithin refuses a planned write that changes an entry of a document that it is about, unless
// the entry meets the conditions of the caller's rights before and after it.
func (op *operation) staysWithin() error {
	if op.access == nil {
		return nil
	}
	for _, c := range op.changes {
		t, some := op.site.Type(c.Type), cmp.Or(c.After, c.Before)
		if some == nil || c.Before == c.After || op.same[c.After] {
			continue
		}
		if _, about := op.subjects[documentName{c.Type, some.DocumentID}]; !about {
			continue
		}
		if err := op.changeWithin(t, some.Key(), c); err != nil {
			return err
		}
	}
	return nil
}

// changeWithin is staysWithin for one change.
func (op *operation) changeWithin(t *schema.Type, k store.Key, c store.Change) error {
	if f := op.filter(t); f != nil && (c.Before != nil && !op.has(t, c.Before) || c.After != nil && !op.has(t, c.After)) {
		return op.outside(t, f.Ways...)
	}
	r := op.reach(t)
	if r == nil || len(r.Where) == 0 && !slices.ContainsFunc(r.Ways, func(w schema.RoleReach) bool { return w.Where != nil }) {
		return nil
	}
	creator := func() (store.Actor, error) { return op.creator(t, k.DocumentID) }
	for i, action := range op.actionsOn(t, k.DocumentID) {
		ways, err := op.waysTo(r, action, creator)
		if err != nil {
			return err
		}
		var reached []schema.RoleReach
		var missed [][]schema.Equality
		for _, w := range ways {
			switch {
			case t.Localized && w.Locales != nil && !slices.Contains(w.Locales, k.Locale):
			case !meetsChange(t, w.Where, c):
				missed = append(missed, w.Where)
			default:
				reached = append(reached, w)
			}
		}
		if len(reached) == 0 {
			return op.outside(t, missed...)
		}
		if i == 0 && len(r.Ways) > 0 && (k.Status == store.Draft || !t.DraftAndPublish) {
			if err := op.setWithin(t, r.Sight(r.For(action)), r.Sight(reached), c); err != nil {
				return err
			}
		}
	}
	return nil
}

// meetsChange reports whether an entry meets conditions before and after a change.
func meetsChange(t *schema.Type, where []schema.Equality, c store.Change) bool {
	return (c.Before == nil || index.MeetsAll(where, t, c.Before.Fields)) && (c.After == nil || index.MeetsAll(where, t, c.After.Fields))
}

// setWithin refuses values that only rights let set which do not reach the entry before and after
// the change. all is what all rights let set, and now what those do that reach it.
func (op *operation) setWithin(t *schema.Type, all, now *schema.Sight, c store.Change) error {
	if c.After == nil {
		return nil
	}
	var was store.Fields
	if c.Before != nil {
		was = c.Before.Fields
	}
	for _, a := range t.Attributes {
		narrower := all.Sets(a) && !now.Sets(a) || now.Within(a).Limited() && !all.Within(a).Limited()
		if v := c.After.Value(a.Name); narrower && !v.Equal(was.Value(a.Name)) && !v.Equal(op.defaults[a]) {
			return readOnly(body.At(a.Name))
		}
	}
	return nil
}

// fillWhere adds the values that the caller's only right to a new entry wants, where the input does
// not have them.
func (op *operation) fillWhere(t *schema.Type, action schema.Action, own store.Fields, in []body.Given) store.Fields {
	r := op.reach(t)
	if r == nil {
		return own
	}
	ways := r.For(action)
	if len(ways) != 1 {
		return own
	}
	for _, c := range ways[0].Where {
		v, ok := index.ValueOf(t, c)
		if ok && own.Value(c.Attribute).IsEmpty() && !body.Mentions(in, t.Attribute(c.Attribute)) {
			own = own.Set(c.Attribute, v)
		}
	}
	return own
}
