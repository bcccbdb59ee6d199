package query

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"quire/index"
)

// MaxDifferences is the maximum number of paths in a comparison.
const MaxDifferences = 1000

// Differences are the paths in which two views of an entry differ. The instances of a
// component are compared by their ids; if an instance is only in one of them, or their
// order differs, the whole list differs.
type Differences struct {
	list []difference
	More bool // there are more than MaxDifferences
}

type difference struct {
	path       string
	one, other *node
}

// Compare compares two views of entries of one type. It ignores what every write changes,
// for example updatedAt.
func Compare(one, other *View) *Differences {
	d := &Differences{}
	d.objects("", &one.node, &other.node)
	return d
}

// moments reports whether a member of an entry is not content.
func moments(name string) bool {
	switch name {
	case "id", "documentId", "locale", "createdAt", "updatedAt", "publishedAt":
		return true
	}
	return false
}

func (d *Differences) objects(at string, one, other *node) {
	for i := range one.members {
		name := one.members[i].name
		if at == "" && moments(name) {
			continue
		}
		here, there := &one.members[i].node, other.member(name)
		if there == nil {
			there = &node{plain: null}
		}
		d.values(joinPath(at, name), here, there)
	}
	for i := range other.members {
		name := other.members[i].name
		if one.member(name) == nil && !(at == "" && moments(name)) {
			d.values(joinPath(at, name), &node{plain: null}, &other.members[i].node)
		}
	}
}

// Differing returns the parts of two views in which they differ, by attributes of the entry.
func Differing(one, other *View) (a, b *View) {
	a, b = &View{}, &View{}
	for _, m := range append(slices.Clone(one.members), other.members...) {
		if moments(m.name) || a.member(m.name) != nil || b.member(m.name) != nil {
			continue
		}
		here, there := one.member(m.name), other.member(m.name)
		d := &Differences{}
		d.values("", cmp.Or(here, &node{plain: null}), cmp.Or(there, &node{plain: null}))
		if len(d.list) == 0 {
			continue
		}
		if here != nil {
			a.members = append(a.members, member{m.name, *here})
		}
		if there != nil {
			b.members = append(b.members, member{m.name, *there})
		}
	}
	return a, b
}

func (n *node) member(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i].node
		}
	}
	return nil
}

func (d *Differences) values(at string, one, other *node) {
	switch {
	case one.mark != "" && one.mark == other.mark:
		d.objects(at, one, other)
	case one.list && other.list && sameInstances(one.items, other.items):
		for i := range one.items {
			d.values(fmt.Sprintf("%s[%d]", at, i), &one.items[i], &other.items[i])
		}
	case !one.equal(other):
		d.add(at, one, other)
	}
}

// sameInstances reports whether two lists have the same instances of components in the same
// order.
func sameInstances(a, b []node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].mark == "" || a[i].mark != b[i].mark {
			return false
		}
	}
	return true
}

func (n *node) equal(other *node) bool {
	if n.list != other.list || (n.plain == nil) != (other.plain == nil) || !bytes.Equal(n.plain, other.plain) ||
		len(n.items) != len(other.items) || len(n.members) != len(other.members) {
		return false
	}
	for i := range n.items {
		if !n.items[i].equal(&other.items[i]) {
			return false
		}
	}
	for i := range n.members {
		if n.members[i].name != other.members[i].name || !n.members[i].equal(&other.members[i].node) {
			return false
		}
	}
	return true
}

func (d *Differences) add(path string, one, other *node) {
	if len(d.list) == MaxDifferences {
		d.More = true
		return
	}
	d.list = append(d.list, difference{path, one, other})
}

// Append appends a list of {"path", "value", "other"}.
func (d *Differences) Append(dst []byte) []byte {
	dst = append(dst, '[')
	for i, one := range d.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(append(dst, `{"path":`...), one.path)
		dst = one.one.append(append(dst, `,"value":`...))
		dst = one.other.append(append(dst, `,"other":`...))
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// Paths returns only the paths.
func (d *Differences) Paths() []string {
	paths := make([]string, len(d.list))
	for i, one := range d.list {
		paths[i] = one.path
	}
	return paths
}
