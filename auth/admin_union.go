package auth

import (
	"slices"

	"quire/schema"
)

// An account can have several roles. It may do what one of them allows: a write needs, for each of
// its actions, one role that has the action and whose limits it keeps. So a role never takes away
// what another one gives, and the limits of several roles never add up to something that none of
// them allows.

// union is what several roles together allow.
type union []*AdminRole

// any reports whether something holds for one of the roles.
func (u union) any(holds func(*AdminRole) bool) bool { return slices.ContainsFunc(u, holds) }

// on returns what the roles together allow to do with a type, how far their writes reach, and which
// entries they see; nil for all. A role with a condition that no entry can meet allows nothing.
func (u union) on(t *schema.Type) (all TypeRights, reach *schema.Reach, filter *schema.Filter) {
	each := make([]TypeRights, 0, len(u))
	for _, r := range u {
		one := r.On(t.UID)
		if t.UID == schema.UserUID && slices.Contains(r.Site, "access") { // which allows everything with users
			one = TypeRights{Actions: []string{"read", "create", "update", "delete"}}
		}
		if _, some := one.conditions(); !some {
			one = TypeRights{Hidden: one.Hidden}
		}
		each = append(each, one)
	}
	if len(each) == 1 {
		all = each[0]
		return all, all.reach(t), filterOf(each)
	}
	for _, one := range each {
		all.Actions = append(all.Actions, one.Actions...)
	}
	filter = filterOf(each)
	all.Hidden = hiddenOf(allowing(each, "read"))
	// The rights that let write something, without those that others include.
	var ways []TypeRights
	for _, r := range each {
		r.Actions = slices.DeleteFunc(slices.Clone(r.Actions), func(action string) bool { return action == "read" })
		if len(r.Actions) == 0 || slices.ContainsFunc(ways, func(w TypeRights) bool { return w.includes(&r) }) {
			continue
		}
		ways = append(slices.DeleteFunc(ways, func(w TypeRights) bool { return r.includes(&w) }), r)
	}
	if len(ways) == 1 {
		all.Own, all.Locales, all.Where, all.ReadOnly = ways[0].Own, ways[0].Locales, ways[0].Where, ways[0].fixed()
		return all, all.reach(t), filter
	}
	setting := pathsOf(allowing(ways, "create", "update"), (*TypeRights).fixed)
	if all.ReadOnly = schema.CommonPaths(setting...); t.UID == schema.UserUID {
		all.ReadOnly = slices.Concat(setting...) // users are not documents: there, all of the roles count
	}
	if len(ways) > 0 {
		reach = reachOf(t, ways)
		reach.Hidden = all.Hidden
	}
	return all, reach, filter
}

// filterOf returns which entries of a type the roles see; nil for all.
func filterOf(each []TypeRights) *schema.Filter {
	var ways [][]schema.Equality
	for _, r := range each {
		if slices.Contains(r.Actions, "read") {
			where, _ := r.conditions()
			ways = append(ways, where)
		}
	}
	if ways == nil {
		return nil // there is no right to read
	}
	return schema.FilterOf(ways...)
}

// hiddenOf returns what is hidden by rights that together let read a type. Rights with a condition
// show nothing of entries that they do not reach: beside rights without one, they show no more, and
// among each other they show what all of them show.
func hiddenOf(each []TypeRights) []string {
	whole := slices.DeleteFunc(slices.Clone(each), func(r TypeRights) bool { return len(r.Where) > 0 })
	lists := pathsOf(whole, func(r *TypeRights) []string { return r.Hidden })
	if len(whole) > 0 {
		return schema.CommonPaths(lists...)
	}
	hidden := slices.Concat(pathsOf(each, func(r *TypeRights) []string { return r.Hidden })...)
	slices.Sort(hidden)
	return slices.Compact(hidden)
}

// reach returns which documents of a type writes may change; nil for all.
func (r *TypeRights) reach(t *schema.Type) *schema.Reach {
	if where, _ := r.conditions(); r.Own || where != nil || r.Locales != nil && t.Localized {
		return &schema.Reach{Own: r.Own, Locales: r.Locales, Where: where}
	}
	return nil
}

// reachOf is reach for several ways in which writes may change documents of a type.
func reachOf(t *schema.Type, ways []TypeRights) *schema.Reach {
	reach := &schema.Reach{Own: true, Locales: []string{}}
	for _, w := range ways {
		way := schema.RoleReach{Own: w.Own, Locales: w.Locales, Fixed: w.fixed()}
		way.Where, _ = w.conditions()
		for _, action := range w.Actions {
			way.Actions = append(way.Actions, schema.Action(action))
		}
		reach.Ways = append(reach.Ways, way)
		reach.Own, reach.Locales = reach.Own && w.Own, append(reach.Locales, w.Locales...)
	}
	if !t.Localized || slices.ContainsFunc(ways, func(w TypeRights) bool { return w.Locales == nil }) {
		reach.Locales = nil
	}
	return reach
}

// fixed returns the paths of the attributes that the rights do not let set.
func (r *TypeRights) fixed() []string { return slices.Concat(r.Hidden, r.ReadOnly) }

// allowing returns those that have one of the actions; all if none has one.
func allowing(each []TypeRights, actions ...string) (some []TypeRights) {
	for _, r := range each {
		if slices.ContainsFunc(actions, func(action string) bool { return slices.Contains(r.Actions, action) }) {
			some = append(some, r)
		}
	}
	if some == nil {
		return each
	}
	return some
}

func pathsOf(each []TypeRights, paths func(*TypeRights) []string) (lists [][]string) {
	for i := range each {
		lists = append(lists, paths(&each[i]))
	}
	return lists
}

// includes reports whether writes may do all with a type that other rights let them do.
func (r *TypeRights) includes(other *TypeRights) bool {
	within := func(some, others []string) bool {
		return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(others, one) })
	}
	switch {
	case !within(other.Actions, r.Actions), r.Own && !other.Own:
		return false
	case slices.ContainsFunc(r.Where, func(w Where) bool { return !slices.Contains(other.Where, w) }):
		return false
	case r.Locales != nil && (other.Locales == nil || !within(other.Locales, r.Locales)):
		return false
	}
	fixed := schema.CommonPaths(r.fixed(), other.fixed())
	return within(r.fixed(), fixed)
}
