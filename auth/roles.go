package auth

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"quire/schema"
	"quire/store"
)

// Role is one role, as it applies now.
type Role struct {
	DocumentID        string
	Name, Description string
	Type              string // as in site.json, "authenticated"

	// InSite means that site.json sets the permissions of the role, so that they can be
	// changed only there.
	InSite bool

	caller *Caller
}

// HasPermission reports whether the role has the permission.
func (r *Role) HasPermission(p Permission) bool { return r.caller.HasPermission(p) }

// Permissions lists what the role may do, in the order of their names.
func (r *Role) Permissions() []string {
	list := make([]string, 0, len(r.caller.listed))
	for p := range r.caller.listed {
		list = append(list, p.String())
	}
	slices.Sort(list)
	return list
}

// roleCache has every role in memory, compiled from the site and from the roles of the data
// file.
type roleCache struct {
	mu       sync.Mutex // guards the first three, and is held while current is replaced
	site     *schema.Site
	stored   map[string]*store.Entry // by documentId
	revision uint64                  // of the file when it was loaded: the feed continues from there

	current atomic.Pointer[roleSet]
}

// roleSet has the roles at one moment. It never changes.
type roleSet struct {
	list   []*Role // oldest first
	byID   map[string]*Role
	byType map[string]*Role
	public *Caller
	none   *Caller // of users with a deleted role: nothing is allowed
}

// load takes the roles of a version of the site, and reads those of the data file.
func (b *roleCache) load(site *schema.Site, db *store.DB) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	stored, revision := map[string]*store.Entry{}, uint64(0)
	err := db.View(func(tx *store.Tx) error {
		revision = tx.Revision()
		return tx.Scan(schema.RoleUID, func(e *store.Entry) error {
			stored[e.DocumentID] = e
			return nil
		})
	})
	if err != nil {
		return err
	}
	b.site, b.stored, b.revision = site, stored, revision
	b.compile()
	return nil
}

// currentSite returns the site for which the roles were compiled.
func (b *roleCache) currentSite() *schema.Site {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.site
}

// apply updates the roles for a commit.
func (b *roleCache) apply(c store.Commit) {
	var changes []store.Change
	for _, change := range c.Changes {
		if change.Type == schema.RoleUID {
			changes = append(changes, change)
		}
	}
	if changes == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.site == nil || c.Revision <= b.revision {
		return
	}
	for _, change := range changes {
		if change.After == nil {
			delete(b.stored, change.Before.DocumentID)
		} else {
			b.stored[change.After.DocumentID] = change.After
		}
	}
	b.compile()
}

// compile makes the current set.
func (b *roleCache) compile() {
	former := b.current.Load()
	if former == nil {
		former = &roleSet{none: newRole("", nil)}
	}
	set := &roleSet{byID: map[string]*Role{}, byType: map[string]*Role{}, none: former.none}
	for _, e := range slices.SortedFunc(maps.Values(b.stored), oldestFirst) {
		r := compileRole(b.site, e, former.byID[e.DocumentID])
		set.list = append(set.list, r)
		set.byID[r.DocumentID] = r
		if set.byType[r.Type] == nil {
			set.byType[r.Type] = r
		}
	}
	if r := set.byType[PublicRole]; r != nil {
		set.public = r.caller
	} else {
		set.public = newRole(PublicRole, sitePermissions(b.site, PublicRole)).reuse(former.public)
	}
	b.current.Store(set)
}

func oldestFirst(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) }

func compileRole(site *schema.Site, e *store.Entry, former *Role) *Role {
	r := &Role{
		DocumentID: e.DocumentID,
		Name:       e.Value("name").Text, Description: e.Value("description").Text, Type: e.Value("type").Text,
	}
	var permissions []Permission
	if _, r.InSite = site.Settings.Roles[r.Type]; r.InSite {
		permissions = sitePermissions(site, r.Type)
	} else {
		permissions = readPermissions(e.Value("permissions").Text)
	}
	r.caller = newRole(r.Type, permissions)
	if former != nil {
		r.caller = r.caller.reuse(former.caller)
	}
	return r
}

// readPermissions reads the permissions that are stored with a role: a JSON list of their
// full names. A text that cannot be read allows nothing.
func readPermissions(text string) []Permission {
	var names []string
	if text == "" || json.Unmarshal([]byte(text), &names) != nil {
		return nil
	}
	var list []Permission
	for _, name := range names {
		if p, ok := ParsePermission(name); ok {
			list = append(list, p)
		}
	}
	return list
}

// Roles lists the roles of the data file, oldest first. They are immutable.
func (a *Auth) Roles() []*Role { return a.roles.current.Load().list }

// Role returns the role of that type, or nil.
func (a *Auth) Role(kind string) *Role { return a.roles.current.Load().byType[strings.TrimSpace(kind)] }

// RoleByID returns the role with that documentId, or nil.
func (a *Auth) RoleByID(documentID string) *Role { return a.roles.current.Load().byID[documentID] }

// Public returns the caller of requests without a credential.
func (a *Auth) Public() *Caller { return a.roles.current.Load().public }

// ofUser returns the caller of users whose role has that documentId.
func (a *Auth) ofUser(role string) *Caller {
	set := a.roles.current.Load()
	if r := set.byID[role]; r != nil {
		return r.caller
	}
	return set.none
}
