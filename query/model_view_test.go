package query

import (
	"math"
	"slices"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// view is what an answer shows of rows of one type.
type view struct {
	fields   map[*schema.Attribute]bool // nil for all
	branches []*branch
	where    predicate // of one type in a zone
}

// branch is one populated attribute, with a view of each type that it may lead to.
type branch struct {
	attribute *schema.Attribute
	views     map[*schema.Type]*view
	where     predicate
	order     []criterion
	count     bool
}

func newBranch(a *schema.Attribute) *branch {
	b := &branch{attribute: a, views: map[*schema.Type]*view{}}
	targets := a.Zone
	if a.Kind != schema.DynamicZone {
		targets = []*schema.Type{behindOf(a)}
	}
	for _, t := range targets {
		b.views[t] = &view{}
	}
	return b
}

// fields reads a fields parameter. nested says whether it is inside populate.
func (m *model) fields(t *schema.Type, n *params.Node, nested bool) (map[*schema.Attribute]bool, error) {
	var names []string
	switch {
	case n == nil || n.IsNull():
		return nil, nil
	case n.IsObject() || n.IsText() && n.Text == "" && !nested:
		return nil, errRefused
	case n.IsText():
		names = strings.Split(n.Text, ",")
	}
	for _, item := range n.Items {
		if !item.IsText() {
			return nil, errRefused
		}
		names = append(names, item.Text)
	}
	fields, all := map[*schema.Attribute]bool{}, false
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "*" {
			all = true
			continue
		}
		a := t.Attribute(name)
		if a == nil || !m.may(a) || !a.IsScalar() {
			return nil, errRefused
		}
		fields[a] = true
	}
	if all {
		return nil, nil
	}
	return fields, nil
}

// populated reads a populate parameter on rows of type t.
func (m *model) populated(t *schema.Type, n *params.Node, nested bool) ([]*branch, error) {
	switch {
	case n == nil || n.IsNull():
		return nil, nil
	case n.IsText() && n.Text == "*":
		return m.everything(t), nil
	case n.IsText() && n.Text == "" && nested:
		return nil, errRefused
	case n.Get("*") != nil:
		levels := number(n.Get("*"), 0)
		if len(n.Keys) > 1 || !(levels >= 1 && levels <= 5 && levels == math.Trunc(levels)) {
			return nil, errRefused
		}
		return m.levels(t, int(levels)), nil
	case n.IsObject():
		return m.populatedObject(t, n)
	}
	texts := []string{n.Text}
	for _, item := range n.Items {
		if !item.IsText() {
			return nil, errRefused
		}
		texts = append(texts, item.Text)
	}
	var paths [][]string
	for path := range strings.SplitSeq(strings.Join(texts, ","), ",") {
		names := slices.DeleteFunc(strings.Split(strings.TrimSpace(path), "."), func(s string) bool { return s == "" })
		paths = append(paths, names)
	}
	return m.populatedPaths(t, paths)
}

// everything is populate=*: what the caller may see, one level deep.
func (m *model) everything(t *schema.Type) []*branch {
	var branches []*branch
	for _, a := range append(slices.Clone(t.Attributes), t.Attribute("localizations")) {
		if a != nil && !a.IsScalar() && m.may(a) {
			branches = append(branches, newBranch(a))
		}
	}
	return branches
}

// levels is everything, so many levels deep.
func (m *model) levels(t *schema.Type, n int) []*branch {
	if n == 0 {
		return nil
	}
	branches := m.everything(t)
	for _, b := range branches {
		for of, v := range b.views {
			v.branches = m.levels(of, n-1)
		}
	}
	return branches
}

// populatedPaths reads dotted paths, those with the same beginning together.
// What the caller may not see is left out.
func (m *model) populatedPaths(t *schema.Type, paths [][]string) ([]*branch, error) {
	var branches []*branch
	for i, path := range paths {
		if len(path) == 0 || slices.ContainsFunc(paths[:i], func(p []string) bool { return len(p) > 0 && p[0] == path[0] }) {
			continue
		}
		a := t.Attribute(path[0])
		if !canPopulate(a) {
			return nil, errRefused
		}
		if !m.may(a) {
			continue
		}
		b := newBranch(a)
		if err := m.populatedBelow(b, tails(paths, path[0])); err != nil {
			return nil, err
		}
		branches = append(branches, b)
	}
	return branches, nil
}

func canPopulate(a *schema.Attribute) bool {
	return a != nil && !a.IsScalar() && !a.Private
}

// tails are the rests of the paths that begin with a name.
func tails(paths [][]string, name string) [][]string {
	var rests [][]string
	for _, path := range paths {
		if len(path) > 1 && path[0] == name {
			rests = append(rests, path[1:])
		}
	}
	return rests
}

// populatedBelow populates behind a branch. In a dynamic zone a name counts for
// every component that has it, and one at least must.
func (m *model) populatedBelow(b *branch, paths [][]string) error {
	had := map[string]bool{}
	for t, v := range b.views {
		own := paths
		if b.attribute.Kind == schema.DynamicZone {
			own = slices.DeleteFunc(slices.Clone(paths), func(path []string) bool { return !canPopulate(t.Attribute(path[0])) })
		}
		for _, path := range own {
			had[path[0]] = true
		}
		var err error
		if v.branches, err = m.populatedPaths(t, own); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if !had[path[0]] {
			return errRefused
		}
	}
	return nil
}

func (m *model) populatedObject(t *schema.Type, n *params.Node) ([]*branch, error) {
	var branches []*branch
	for i, key := range n.Keys {
		a, item := t.Attribute(key), n.Items[i]
		on, err := switched(item)
		if !canPopulate(a) || err != nil {
			return nil, errRefused
		}
		if !on || !m.may(a) {
			continue
		}
		b := newBranch(a)
		if item.IsObject() {
			if b, err = m.detailed(a, item); err != nil {
				return nil, err
			}
		}
		if b != nil {
			branches = append(branches, b)
		}
	}
	return branches, nil
}

// switched reads what turns an attribute on or off; an object turns it on.
func switched(n *params.Node) (bool, error) {
	switch {
	case n.IsObject() || n.IsNull() || n.IsText() && slices.Contains([]string{"true", "t", "1", "*"}, n.Text):
		return true, nil
	case n.IsText() && slices.Contains([]string{"false", "f", "0"}, n.Text):
		return false, nil
	}
	return false, errRefused
}
