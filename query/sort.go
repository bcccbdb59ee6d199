package query

import (
	"fmt"
	"slices"
	"strings"

	"quire/index"
	"quire/query/params"
	"quire/schema"
)

// sortKey is one criterion of an order: the values at a path, which may lead through
// relations. Of several related values the lowest counts ascending, the highest descending.
type sortKey struct {
	hops       []index.Path // to each relation on the path, from the record before it
	path       index.Path   // to the value, from the last record
	rank       *ranker      // gives the value instead of a path; nil except for _rank
	descending bool
}

// direct reports whether the values are in the rows themselves, one for each.
func (k *sortKey) direct() bool { return k.rank == nil && len(k.hops) == 0 && !k.path.Multiple() }

// byID reports whether the values are the ids of the entries themselves.
func (k *sortKey) byID() bool {
	return k.direct() && k.path.Last().System == schema.SystemID && len(k.path.Attributes) == 1
}

const orderMessage = "Invalid order. order can only be one of asc|desc|ASC|DESC"

// mostSortKeys limits the keys of an order; each costs memory for every row.
const mostSortKeys = 32

// sorter compiles a sort parameter.
type sorter struct {
	*compilation
	limit  int  // maximum steps of a path
	atRoot bool // of the entries of the query
	keys   []sortKey
	ranks  func() (*ranker, error) // for _rank; nil if it is not a key
}

// compileOrder resolves the sort parameter of a list of entries, which may order the result
// of _q.
func (c *Compiler) compileOrder(b *compilation, in scope, query *params.Node) ([]sortKey, error) {
	s := &sorter{compilation: b, limit: c.limits.Depth, atRoot: true, ranks: func() (*ranker, error) { return newRanker(in, query.Get("_q")) }}
	return s.compile(in, query.Get("sort"))
}

func (s *sorter) compile(in scope, n *params.Node) ([]sortKey, error) {
	read := sortParam{func(path []string, descending bool) error { return s.add(in, path, descending) }}
	if err := read.node(n); err != nil {
		return nil, err
	}
	s.newestFirst(in.t)
	return untilID(s.keys), nil
}

// untilID drops the keys after the id, which distinguishes all entries.
func untilID(keys []sortKey) []sortKey {
	if i := slices.IndexFunc(keys, func(k sortKey) bool { return k.byID() }); i >= 0 {
		return keys[:i+1]
	}
	return keys
}

// newestFirst orders entries of the same time, newest first, by descending ids: a client
// can write several entries within a millisecond.
func (s *sorter) newestFirst(t *schema.Type) {
	if n := len(s.keys); n > 0 && s.keys[n-1].descending && s.keys[n-1].writing() {
		s.keys = append(s.keys, sortKey{path: index.NewPath(t.Attribute("id")), descending: true})
	}
}

// writing reports whether the values are the times at which the entries themselves
// were written. A draft has no time of publishing.
func (k *sortKey) writing() bool {
	if !k.direct() {
		return false
	}
	at := k.path.Last().System
	return at == schema.SystemCreatedAt || at == schema.SystemUpdatedAt
}

// add resolves one path and its direction.
func (s *sorter) add(in scope, names []string, descending bool) error {
	if len(names) > s.limit || len(s.keys) == mostSortKeys {
		return refuseParam("sort", "sort", fmt.Sprintf("sort takes up to %d paths of up to %d steps", mostSortKeys, s.limit))
	}
	key, err := s.key(in, names)
	if err != nil {
		return err
	}
	key.descending = descending
	s.keys = append(s.keys, key)
	return nil
}

func (s *sorter) key(in scope, names []string) (key sortKey, err error) {
	if s.ranks != nil && len(names) == 1 && names[0] == schema.RankKey {
		key.rank, err = s.ranks()
		return key, err
	}
	return s.path(in, names, s.atRoot, "sort")
}

// path resolves a path from records of a scope to a scalar. It does not set the parts of
// the key that are about an order. atRoot is for the entries of the query.
func (b *compilation) path(in scope, names []string, atRoot bool, param string) (sortKey, error) {
	var key sortKey
	var way []*schema.Attribute // components since the last relation
	at := ""
	for i, name := range names {
		a, err := resolveAttribute(b.access, in, at, name, param)
		if err != nil {
			return key, err
		}
		last := i == len(names)-1
		switch {
		case a.IsScalar() != last, a.Kind == schema.DynamicZone, a.Relation != nil && a.Relation.Target == nil:
			return key, forbiddenKey(name, at, param)
		case last:
			key.path = index.NewPath(append(way, a)...)
		case a.Kind == schema.Component:
			way, in = append(way, a), b.behind(in, a, a.ComponentType)
		default:
			if err := b.mayFollow(a, atRoot && len(key.hops) == 0, param, joinPath(at, name)); err != nil {
				return key, err
			}
			key.hops = append(key.hops, index.NewPath(append(way, a)...))
			way, in = nil, b.behind(in, a, a.Relation.Target)
			b.dependsOn(in.t)
		}
		at = joinPath(at, name)
	}
	return key, nil
}

// sortParam reads a sort parameter.
type sortParam struct {
	add func(path []string, descending bool) error // takes one criterion
}

func (s *sortParam) node(n *params.Node) error {
	switch {
	case n == nil || n.IsNull():
		return nil
	case n.IsText():
		return s.list(n.Text)
	case n.IsObject():
		return s.object(n, nil)
	}
	for _, item := range n.Items {
		if item.IsList() {
			return refuseParam("sort", "sort", "Invalid sort parameter. Expected a string, an array of strings, a sort object or an array of sort objects")
		}
		if err := s.node(item); err != nil {
			return err
		}
	}
	return nil
}

// list reads "name:asc,chef.name:desc". It ignores empty parts.
func (s *sortParam) list(text string) error {
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
		if err := s.one(strings.Split(path, "."), direction); err != nil {
			return err
		}
	}
	return nil
}

// object reads {name: "asc", chef: {name: "desc"}}.
func (s *sortParam) object(n *params.Node, at []string) error {
	for i, key := range n.Keys {
		path := append(at[:len(at):len(at)], key)
		var err error
		switch item := n.Items[i]; {
		case item.IsObject():
			err = s.object(item, path)
		case item.IsText():
			err = s.one(path, item.Text)
		default:
			err = refuseParam("sort", "sort", orderMessage)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one reads a direction and passes the criterion on. An error in the path takes precedence
// over one in the direction.
func (s *sortParam) one(path []string, direction string) error {
	if err := s.add(path, direction == "desc" || direction == "DESC"); err != nil {
		return err
	}
	switch direction {
	case "asc", "ASC", "desc", "DESC":
		return nil
	}
	return refuseParam("sort", "sort", orderMessage)
}
