package auth

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"

	"quire/schema"
	"quire/store"
)

// Caller is the caller that a request is served for. It is immutable and shared by all
// requests of the same role or token. It satisfies schema.Access.
type Caller struct {
	name    string
	actor   store.Actor             // of writes, if no user has signed in
	every   bool                    // holds every permission
	actions []schema.Action         // allowed on every uid
	listed  map[Permission]struct{} // allowed one by one
	rights  rights

	token   []byte       // keyed hash of the API token; nil for others
	admin   string       // id of the account of the admin; empty for others
	epoch   string       // of that account
	maker   *Caller      // of the preview link in use; nil for others
	preview *Preview     // the document of that link
	limits  *adminLimits // of accounts of the admin; nil for others
}

var _ schema.Access = (*Caller)(nil)

// String names the caller for logs: `role "public"`, `token "deploy"`.
func (c *Caller) String() string { return c.name }

// Allows reports whether the caller may perform the action on the type. Callers who may
// list files may find them; among these, accounts of the admin may find their folders.
func (c *Caller) Allows(t *schema.Type, a schema.Action) bool {
	switch {
	case t.UID == schema.FolderUID:
		return a == schema.Find && c.IsAdmin() && c.HasPermission(FindFiles)
	case t.UID == schema.FileUID && a == schema.Find:
		return c.HasPermission(FindFiles)
	}
	return c.HasPermission(Permission{t.UID, a})
}

// HasPermission reports whether the caller has the permission.
func (c *Caller) HasPermission(p Permission) bool {
	if p.isTokenOnly() {
		return c.namesInToken(p)
	}
	if c.maker != nil {
		// The maker of a preview link passes the permission on to its reader: only
		// permissions to read.
		switch p.Action {
		case schema.Find, schema.FindOne, schema.ReadDraft:
			return c.maker.HasPermission(p)
		}
		return false
	}
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

// HasPermissions reports whether the caller has all permissions with these full names, such as
// "api::dish.dish.find".
func (c *Caller) HasPermissions(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		p, ok := ParsePermission(name)
		return !ok || !c.HasPermission(p)
	})
}

// namesInToken reports whether the caller is a custom token that names the permission.
func (c *Caller) namesInToken(p Permission) bool {
	_, named := c.listed[p]
	return named && c.token != nil && c.maker == nil
}

// newRole returns the caller of a role. It leaves out what only tokens can hold.
func newRole(name string, permissions []Permission) *Caller {
	c := &Caller{name: `role "` + name + `"`, actor: store.ByPublic, listed: map[Permission]struct{}{}}
	for _, p := range permissions {
		c.listed[p] = struct{}{}
	}
	maps.DeleteFunc(c.listed, func(p Permission, _ struct{}) bool { return p.isTokenOnly() })
	return c
}

// reuse returns former if it has the same name and permissions, so that a caller keeps its
// address until it changes.
func (c *Caller) reuse(former *Caller) *Caller {
	if former != nil && c.name == former.name && maps.Equal(c.listed, former.listed) {
		return former
	}
	return c
}

// KindsWith returns the kinds of API token that can hold the permission.
func KindsWith(p Permission) []string {
	var kinds []string
	for _, kind := range []TokenKind{FullAccess, ReadOnly, Custom} {
		t := token{Kind: kind, Permissions: []string{p.String()}, Hash: []byte("of any token")}
		if t.caller().HasPermission(p) {
			kinds = append(kinds, string(kind))
		}
	}
	return kinds
}

// Rights identifies a set of permissions: two callers have equal Rights if and only if
// they may do the same.
type Rights [sha256.Size]byte

// rights computes the Rights of a caller on first use.
type rights struct {
	once sync.Once
	sum  Rights
}

// Rights returns the caller's rights.
func (c *Caller) Rights() *Rights {
	c.rights.once.Do(func() {
		listed := make([]string, 0, len(c.listed))
		for p := range c.listed {
			listed = append(listed, p.String())
		}
		slices.Sort(listed)
		c.rights.sum = sha256.Sum256(fmt.Appendf(nil, "%t %q %q%s", c.every, c.actions, listed, c.limits.rights(c.actor)))
	})
	return &c.rights.sum
}

// Full reports whether the caller holds every permission, as full-access tokens do.
func (c *Caller) Full() bool { return c.every }
