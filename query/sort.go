package query

import (
	"fmt"
	"strings"

	"quire/index"
	"quire/schema"
)

// sortKey is one criterion of an order: the values at a path, which may lead
// through relations. Of several related values the lowest counts ascending, the
// highest descending.
type sortKey struct {
	hops       []index.Path // to each relation on the way, from the record before it
	path       index.Path   // to the value, from the last record
	descending bool
}

// direct reports whether the values stand in the rows themselves, one for each.
func (k *sortKey) direct() bool { return len(k.hops) == 0 && !k.path.Multiple() }

const orderMessage = "Invalid order. order can only be one of asc|desc|ASC|DESC"

// mostSortKeys bounds the keys of an order; each costs memory for every row.
const mostSortKeys = 32

// sorter compiles a sort parameter.
type sorter struct {
	*build
	limit int // most steps of a path
	keys  []sortKey
}

// compileSort resolves a sort parameter on records of type t.
func (c *Compiler) compileSort(b *build, t *schema.Type, n *Node) ([]sortKey, error) {
	s := &sorter{build: b, limit: c.limits.Depth}
	if err := s.node(t, n); err != nil {
		return nil, err
	}
	s.newestFirst(t)
	return s.keys, nil
}

// newestFirst has entries whose times are the same stand in the order in which they
// were made here too, where that is not the order of their ids but its reverse: a
// client that writes one entry after another may do so within a millisecond.
func (s *sorter) newestFirst(t *schema.Type) {
	if n := len(s.keys); n > 0 && s.keys[n-1].descending && s.keys[n-1].writing() {
		s.keys = append(s.keys, sortKey{path: index.NewPath(t.Attribute("id")), descending: true})
	}
}

// writing reports whether the values are the times at which the entries themselves
// were written. A draft has no time of publishing.
func (k *sortKey) writing() bool {
	at := k.path.Last().System
	return k.direct() && (at == schema.SystemCreatedAt || at == schema.SystemUpdatedAt)
}

func (s *sorter) node(t *schema.Type, n *Node) error {
	switch {
	case n == nil || n.IsNull():
		return nil
	case n.IsText():
		return s.list(t, n.Text)
	case n.IsObject():
		return s.object(t, n, nil)
	}
	for _, item := range n.Items {
		if item.IsList() {
			return refuse("sort", "sort", "Invalid sort parameter. Expected a string, an array of strings, a sort object or an array of sort objects")
		}
		if err := s.node(t, item); err != nil {
			return err
		}
	}
	return nil
}

// list compiles "name:asc,chef.name:desc". Empty parts are left out.
func (s *sorter) list(t *schema.Type, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		path, direction, given := strings.Cut(part, ":")
		path = strings.TrimSpace(path)
		if path == "" {
			continue
		}
		direction, _, _ = strings.Cut(direction, ":")
		if !given {
			direction = "asc"
		}
		if err := s.add(t, strings.Split(path, "."), direction); err != nil {
			return err
		}
	}
	return nil
}

// object compiles {name: "asc", chef: {name: "desc"}}.
func (s *sorter) object(t *schema.Type, n *Node, at []string) error {
	for i, key := range n.Keys {
		path := append(at[:len(at):len(at)], key)
		var err error
		switch item := n.Items[i]; {
		case item.IsObject():
			err = s.object(t, item, path)
		case item.IsText():
			err = s.add(t, path, item.Text)
		default:
			err = refuse("sort", "sort", orderMessage)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add resolves one path and its direction.
func (s *sorter) add(t *schema.Type, names []string, direction string) error {
	if len(names) > s.limit || len(s.keys) == mostSortKeys {
		return refuse("sort", "sort", fmt.Sprintf("sort takes up to %d paths of up to %d steps", mostSortKeys, s.limit))
	}
	key, err := s.resolve(t, names)
	if err != nil {
		return err
	}
	switch direction {
	case "asc", "ASC":
	case "desc", "DESC":
		key.descending = true
	default:
		return refuse("sort", "sort", orderMessage)
	}
	s.keys = append(s.keys, key)
	return nil
}

func (s *sorter) resolve(t *schema.Type, names []string) (sortKey, error) {
	var key sortKey
	var way []*schema.Attribute // components since the last relation
	at := ""
	for i, name := range names {
		a, err := resolve(s.access, t, at, name, "sort")
		if err != nil {
			return key, err
		}
		last := i == len(names)-1
		switch {
		case a.IsScalar() != last, a.Kind == schema.DynamicZone, a.Relation != nil && a.Relation.Target == nil:
			return key, forbiddenKey(name, at, "sort")
		case last:
			key.path = index.NewPath(append(way, a)...)
		case a.Kind == schema.Component:
			way, t = append(way, a), a.ComponentType
		default:
			key.hops = append(key.hops, index.NewPath(append(way, a)...))
			way, t = nil, a.Relation.Target
			s.reads(t)
		}
		at = join(at, name)
	}
	return key, nil
}
