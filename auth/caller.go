package auth

import (
	"maps"

	"quire/schema"
)

// Caller is whom a request is served for. It is immutable and shared by all
// requests of the same role or token. It satisfies schema.Access.
type Caller struct {
	name    string
	every   bool                    // holds every permission
	actions []schema.Action         // allowed on every uid
	listed  map[Permission]struct{} // allowed one by one
	rights  rights
}

var _ schema.Access = (*Caller)(nil)

// String names the caller for logs: `role "public"`, `token "deploy"`.
func (c *Caller) String() string { return c.name }

// Allows reports whether the caller may perform the action on the type.
func (c *Caller) Allows(t *schema.Type, a schema.Action) bool {
	return c.Holds(Permission{t.UID, a})
}

// Holds reports whether the caller has the permission.
func (c *Caller) Holds(p Permission) bool {
	if c.every {
		return true
	}
	for _, a := range c.actions {
		if a == p.Action {
			return true
		}
	}
	_, ok := c.listed[p]
	return ok
}

func newRole(name string, permissions []Permission) *Caller {
	c := &Caller{name: `role "` + name + `"`, listed: map[Permission]struct{}{}}
	for _, p := range permissions {
		c.listed[p] = struct{}{}
	}
	return c
}

// unless returns former where it goes by the same name and may do the same, so
// that a caller keeps its address as long as nothing about it changes.
func (c *Caller) unless(former *Caller) *Caller {
	if former != nil && c.name == former.name && maps.Equal(c.listed, former.listed) {
		return former
	}
	return c
}

// Kinds names the kinds of API token that can hold the permission, for lists of
// who may do what.
func Kinds(p Permission) []string {
	kinds := []string{string(FullAccess)}
	for _, kind := range []TokenKind{ReadOnly, Custom} {
		t := token{Kind: kind, Permissions: []string{p.String()}}
		if t.caller().Holds(p) {
			kinds = append(kinds, string(kind))
		}
	}
	return kinds
}
