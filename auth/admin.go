package auth

import (
	"encoding/json"
	"fmt"
	"slices"

	"quire/schema"
	"quire/store"
)

// adminLimits limits what the caller of an admin account sees and changes, in addition to
// its permissions.
type adminLimits struct {
	name   string                    // of the roles
	role   []byte                    // the roles as JSON
	sights map[string]*schema.Sight  // by uid, for types that have one
	reach  map[string]*schema.Reach  // by uid, for types with a limit
	filter map[string]*schema.Filter // by uid, for types of which not all entries are seen
	own    bool                      // for some type, only own documents may be changed
}

// NewAdminCaller returns the caller for an account of the admin, by its id, with the names
// and the rights of its roles: it may do what one of them allows. Its permissions are those of the content API that the role
// means; in addition it sees private attributes. It is for one version of the site: after a
// reload another must be made. Keep it as long as site, account and roles are the same. For
// other accounts with the roles see As.
//
// The error is an *AdminRoleError, as of AdminRole.Check; a role that was right once may be
// wrong by now. Conditions about values of the account must have been resolved, see
// AdminRole.For. Hidden attributes that the site does not have are no error: they are hidden if
// a former version of the site is still served, and when they return.
func NewAdminCaller(site *schema.Site, account, name string, roles ...*AdminRole) (*Caller, error) {
	for _, role := range roles {
		if err := role.checkNames(site); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(roles)
	if err != nil {
		return nil, err
	}
	all := union(roles)
	full := all.any(func(r *AdminRole) bool { return r.Full })
	limits := &adminLimits{name: name, role: text, sights: map[string]*schema.Sight{}, reach: map[string]*schema.Reach{}, filter: map[string]*schema.Filter{}}
	c := (&Caller{every: full, listed: map[Permission]struct{}{}, limits: limits}).As(account, "")
	if full {
		return c, nil
	}
	c.grant(ListLocales)
	c.limits.sights[schema.FileUID] = schema.WholeSight() // the folder of a file is private
	for _, role := range roles {
		for _, name := range role.Files {
			c.grant(fileActions[name]...)
		}
		for _, name := range role.Site {
			c.grant(siteRights[name]...)
		}
	}
	for t := range site.Served() {
		rights, reach, filter := all.on(t)
		if filter != nil {
			c.limits.filter[t.UID] = filter
		}
		c.grantType(t, &rights, reach)
		if slices.Contains(rights.Actions, "read") {
			c.grant(ExploreContent)
		}
	}
	users, _, _ := all.on(site.Type(schema.UserUID))
	c.limits.sights[schema.UserUID] = schema.SightOf(users.Hidden, users.ReadOnly)
	for _, name := range users.Actions {
		c.grant(userActions[name]...)
	}
	if all.any(func(r *AdminRole) bool { return r.Releases }) {
		c.grant(FindReleases, CreateRelease, UpdateRelease, DeleteRelease, PublishRelease)
	}
	return c, nil
}

// As returns the caller for another account of the admin that has the same role. It shares
// what the role means with c, which would cost time and memory. Preview links of the caller
// end when the account gets another epoch.
func (c *Caller) As(account, epoch string) *Caller {
	return &Caller{
		name: fmt.Sprintf("admin account %s, role %q", account, c.limits.name), actor: store.ActorOf(store.ByAdmin, account),
		every: c.every, listed: c.listed, admin: account, epoch: epoch, limits: c.limits,
	}
}

// NewAssistantCaller returns the caller for an assistant of an account of the admin. Each of the
// roles is what a role of the account and the limits of the assistant both allow. If keepsPublished
// is set, the caller cannot delete documents that are published. Preview links are never
// among its rights: they would show what their owner may read. Errors are those of
// NewAdminCaller.
func NewAssistantCaller(site *schema.Site, id, name string, keepsPublished bool, roles ...*AdminRole) (*Caller, error) {
	c, err := NewAdminCaller(site, "", name, roles...)
	if err != nil {
		return nil, err
	}
	c.name, c.actor = "assistant "+id, store.ActorOf(store.ByAssistant, id)
	for t := range site.Served() {
		delete(c.listed, Permission{t.UID, schema.PreviewLink})
		if keepsPublished && t.DraftAndPublish {
			r := schema.Reach{}
			if former := c.limits.reach[t.UID]; former != nil {
				r = *former
			}
			r.KeepsPublished = true
			c.limits.reach[t.UID] = &r
		}
	}
	if keepsPublished {
		c.limits.role = append(c.limits.role, " keeps what is published"...)
	}
	return c, nil
}

func (c *Caller) grant(permissions ...Permission) {
	for _, p := range permissions {
		c.listed[p] = struct{}{}
	}
}

// grantType grants what the roles may do with a type.
func (c *Caller) grantType(t *schema.Type, r *TypeRights, reach *schema.Reach) {
	c.limits.sights[t.UID] = schema.SightOf(r.Hidden, r.ReadOnly)
	if reach != nil {
		c.limits.reach[t.UID] = reach
		c.limits.own = c.limits.own || reach.Own || slices.ContainsFunc(reach.Ways, func(w schema.RoleReach) bool { return w.Own })
	}
	for _, name := range r.Actions {
		actions := adminActions[name].plain
		if t.DraftAndPublish {
			actions = adminActions[name].drafts
		}
		for _, a := range actions {
			c.grantAction(t, a)
		}
	}
	publishes := t.DraftAndPublish && slices.Contains(r.Actions, "publish")
	if publishes && slices.Contains(r.Actions, "create") {
		c.grantAction(t, schema.Create)
	}
	if publishes && slices.Contains(r.Actions, "update") {
		c.grantAction(t, schema.Update)
	}
	if publishes || t.DraftAndPublish && slices.Contains(r.Actions, "unpublish") {
		c.grant(FindSchedules, DeleteSchedule)
	}
}

// grantAction grants an action if the type has it.
func (c *Caller) grantAction(t *schema.Type, a schema.Action) {
	if slices.Contains(t.Actions(), a) {
		c.grant(Permission{t.UID, a})
	}
}

// rights identifies what accounts may do beyond their permissions; it is empty for others.
func (l *adminLimits) rights(actor store.Actor) string {
	switch {
	case l == nil:
		return ""
	case l.own:
		return fmt.Sprintf(" admin %s %q", l.role, actor)
	}
	return fmt.Sprintf(" admin %s", l.role)
}

// IsAdmin reports whether the caller is an account of the admin.
func (c *Caller) IsAdmin() bool { return c.limits != nil }

// Sight returns what the caller sees of the attributes of a type's entries: an account of
// the admin sees private ones, unless its role hides them. Of types that its role cannot
// name (files, and roles of users), it sees what the content API shows; so does a reader
// with one of its preview links.
func (c *Caller) Sight(t *schema.Type) *schema.Sight {
	switch {
	case c.maker != nil:
		return c.maker.Sight(t).Public()
	case c.limits == nil:
		return nil
	case c.every:
		return schema.WholeSight()
	}
	return c.limits.sights[t.UID]
}

// Reach returns which documents of a type the caller's writes may change; nil for all.
func (c *Caller) Reach(t *schema.Type) *schema.Reach {
	if c.limits == nil {
		return nil
	}
	return c.limits.reach[t.UID]
}

// Filter returns which entries of a type exist for the caller; nil for all. A reader with a preview
// link sees no more than its maker.
func (c *Caller) Filter(t *schema.Type) *schema.Filter {
	switch {
	case c.maker != nil:
		return c.maker.Filter(t)
	case c.limits == nil:
		return nil
	}
	return c.limits.filter[t.UID]
}
