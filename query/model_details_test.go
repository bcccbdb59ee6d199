package query

import (
	"slices"

	"quire/query/params"
	"quire/schema"
)

// detailed reads the parameters of one populated attribute; nil where they ask
// for nothing.
func (m *model) detailed(a *schema.Attribute, n *params.Node) (*branch, error) {
	zone := a.Kind == schema.DynamicZone
	known := []string{"fields", "filters", "sort", "populate", "count"}
	if zone {
		known = []string{"on", "populate", "count"}
	}
	for _, key := range n.Keys {
		if !slices.Contains(known, key) {
			return nil, errRefused
		}
	}
	b := newBranch(a)
	var err error
	if zone {
		if b, err = m.zoned(b, n); b == nil || err != nil {
			return nil, err
		}
	} else if err := m.shape(b, behindOf(a), n); err != nil {
		return nil, err
	}
	if count := n.Get("count"); count != nil {
		if !count.IsText() {
			return nil, errRefused
		}
		b.count, err = switched(count)
	}
	return b, err
}

// shape reads fields, filters, sort and populate of one type behind a branch.
// A declared attribute that the order goes by is shown even where fields leaves it
// out.
func (m *model) shape(b *branch, t *schema.Type, n *params.Node) error {
	v := b.views[t]
	steps := []func() error{
		func() (err error) { v.fields, err = m.fields(t, n.Get("fields"), true); return },
		func() (err error) { b.order, err = m.ordering(t, n.Get("sort")); return },
		func() (err error) { b.where, err = m.filterParam(t, n.Get("filters")); return },
		func() (err error) { v.branches, err = m.populated(t, n.Get("populate"), true); return },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	for _, c := range b.order {
		if v.fields != nil && len(c.path) == 1 && c.path[0].System == schema.NotSystem {
			v.fields[c.path[0]] = true
		}
	}
	return nil
}

func (m *model) filterParam(t *schema.Type, n *params.Node) (predicate, error) {
	switch {
	case n == nil || n.IsNull():
		return nil, nil
	case !n.IsObject():
		return nil, errRefused
	}
	return m.filter(t, n, false, false)
}

// zoned reads the parameters of a dynamic zone: all of it, populated or not, or
// a fragment for each component that is to be shown.
func (m *model) zoned(b *branch, n *params.Node) (*branch, error) {
	populate, on := n.Get("populate"), n.Get("on")
	if populate != nil && (!populate.IsText() || populate.Text != "*") || on != nil && !on.IsObject() {
		return nil, errRefused
	}
	if on == nil {
		for t, v := range b.views {
			if populate != nil {
				v.branches = m.everything(t)
			}
		}
		return b, nil
	}
	shown := map[*schema.Type]*view{}
	for i, uid := range on.Keys {
		t := m.site.Type(uid)
		if b.views[t] == nil {
			return nil, errRefused
		}
		is, err := switched(on.Items[i])
		if err != nil {
			return nil, err
		}
		if is {
			if shown[t], err = m.fragment(b.attribute, t, on.Items[i]); err != nil {
				return nil, err
			}
		}
	}
	b.views = shown
	return b, nil
}

func (m *model) fragment(a *schema.Attribute, t *schema.Type, n *params.Node) (*view, error) {
	b := newBranch(a)
	if n.IsObject() {
		for _, key := range n.Keys {
			if !slices.Contains([]string{"fields", "filters", "sort", "populate"}, key) {
				return nil, errRefused
			}
		}
		if err := m.shape(b, t, n); err != nil {
			return nil, err
		}
	}
	b.views[t].where = b.where
	return b.views[t], nil
}
