package people

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/auth"
)

// MostRoles is the maximum number of a site's own roles.
const MostRoles = 100

// RoleForm describes a role.
type RoleForm struct {
	Name   string         `json:"name"`
	Rights auth.AdminRole `json:"rights"`
	Second bool           `json:"secondFactor"` // its accounts need one
}

// Roles lists the roles: the built-in ones, and then the site's own by name.
func (b *Directory) Roles() []*Role {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := slices.Clone(builtIn())
	first := len(list)
	for _, r := range b.roles {
		list = append(list, r)
	}
	slices.SortFunc(list[first:], func(a, b *Role) int { return strings.Compare(a.Name+a.ID, b.Name+b.ID) })
	return list
}

// HowMany returns the number of accounts of each role, by its id.
func (b *Directory) HowMany() map[string]int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	n := map[string]int{}
	for _, a := range b.byID {
		for _, r := range a.Roles {
			n[r.ID]++
		}
	}
	return n
}

// CreateRole creates a role. Errors are *FieldError, *auth.AdminRoleError, *RefusedError,
// ErrForbidden and the store's.
func (b *Directory) CreateRole(by By, f RoleForm) (*Role, error) {
	r := &Role{ID: auth.RandomText(idBytes), Rights: f.Rights, SecondFactor: f.Second}
	err := b.change(by, func(c *change) error {
		if n, err := c.CountRecords(rolesBucket, ""); err != nil || n >= MostRoles {
			return cmp.Or(err, refused(fmt.Sprintf("There are already %d roles, which is the maximum", MostRoles)))
		}
		if err := c.putRole(r, f); err != nil {
			return err
		}
		return c.noteRole("admin-role.create", r)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ChangeRole replaces a role of the site's own; the rights of all its accounts change.
// Errors are those of CreateRole, and ErrNotFound.
func (b *Directory) ChangeRole(by By, id string, f RoleForm) (*Role, error) {
	r := &Role{ID: id, Rights: f.Rights, SecondFactor: f.Second}
	err := b.change(by, func(c *change) error {
		if err := c.ownRole(id); err != nil {
			return err
		}
		if err := c.putRole(r, f); err != nil {
			return err
		}
		return c.noteRole("admin-role.update", r)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// RemoveRole removes a role of the site's own that no account has. Errors are those of
// ChangeRole.
func (b *Directory) RemoveRole(by By, id string) error {
	return b.change(by, func(c *change) error {
		if err := c.ownRole(id); err != nil {
			return err
		}
		r, err := c.find(id)
		if err != nil {
			return err
		}
		err = c.Records(accountsBucket, func(_ string, value []byte) error {
			if r, err := readRecord(value); err == nil && slices.Contains(r.roles(), id) {
				return refused("Accounts have this role; give them another one first")
			}
			return nil
		})
		if err != nil {
			return err
		}
		return errors.Join(c.DeleteRecord(rolesBucket, id), c.noteRole("admin-role.delete", r))
	})
}

// ownRole refuses to change a built-in role, and one with more rights than the actor has.
func (c *change) ownRole(id string) error {
	former, err := c.find(id)
	switch {
	case err != nil:
		return err
	case former.BuiltIn:
		return refused("This role is built in; make another one")
	case !c.roles.covers(former, c.site):
		return ErrForbidden
	}
	return nil
}

// putRole stores a role from a form.
func (c *change) putRole(r *Role, f RoleForm) (err error) {
	if r.Name, err = checkName(f.Name); err != nil {
		return err
	}
	if f.Rights.Full {
		return &FieldError{"rights.full", "Only the built-in owner may do everything"}
	}
	if err := f.Rights.Check(c.site); err != nil {
		return err
	}
	if !c.roles.covers(r, c.site) {
		return ErrForbidden
	}
	return c.PutJSON(rolesBucket, r.ID, roleRecord{r.Name, r.Rights, r.SecondFactor})
}
