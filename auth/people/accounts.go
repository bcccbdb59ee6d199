package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"quire/auth"
	"quire/auth/people/desk"
	"quire/content/arrange"
	"quire/content/review"
	"quire/store"
)

// MostAccounts is the maximum number of accounts.
const MostAccounts = 1000

// NewAccount describes a new account. Without a password, nobody can sign in until a
// password has been chosen through a link.
type NewAccount struct {
	Name     string   `json:"name"`
	Email    string   `json:"email"`
	Role     string   `json:"role"`            // id, for one role
	Roles    []string `json:"roles,omitempty"` // ids
	Password string   `json:"password"`

	Values auth.AccountValues `json:"values,omitempty"` // for conditions of roles; only owners set them
}

// AccountChange is a change of an account; nil leaves a value unchanged.
type AccountChange struct {
	Name     *string   `json:"name"`
	Email    *string   `json:"email"`
	Role     *string   `json:"role"`  // id, for one role
	Roles    *[]string `json:"roles"` // ids
	Password *string   `json:"password"`
	Blocked  *bool     `json:"blocked"` // it cannot sign in
	OpenID   *bool     `json:"openid"`  // false: removes the link to a person at the provider

	Values *auth.AccountValues `json:"values"` // all of them; only owners set them
}

// List lists the accounts, oldest first.
func (b *Directory) List() []*Account {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := make([]*Account, 0, len(b.byID))
	for _, a := range b.byID {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *Account) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return list
}

// ByID returns the account with that id, or nil.
func (b *Directory) ByID(id string) *Account {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byID[id]
}

// LastUses returns the time of the last request of each account with a session, by its id.
func (b *Directory) LastUses() map[string]time.Time {
	b.mu.RLock()
	defer b.mu.RUnlock()
	last := map[string]time.Time{}
	for _, s := range b.sessions {
		if used := time.Unix(s.used.Load(), 0).UTC(); used.After(last[s.Account]) {
			last[s.Account] = used
		}
	}
	return last
}

// Create creates an account. Errors are *FieldError, *RefusedError, ErrForbidden,
// *password.BusyError and the store's.
func (b *Directory) Create(ctx context.Context, by By, n NewAccount) (*Account, error) {
	ch := AccountChange{Name: &n.Name, Email: &n.Email}
	if n.Roles != nil {
		ch.Roles = &n.Roles
	}
	if n.Role != "" || n.Roles == nil {
		ch.Role = &n.Role
	}
	if len(n.Values) > 0 {
		ch.Values = &n.Values
	}
	if n.Password != "" && b.closed(ByPassword) {
		return nil, errNoPasswords
	}
	if n.Password != "" {
		ch.Password = &n.Password
	}
	r, err := b.prepare(ctx, &record{}, ch)
	if err != nil {
		return nil, err
	}
	r.Created = b.now().UTC()
	id := auth.RandomText(idBytes)
	err = b.change(by, func(c *change) error {
		if err := errors.Join(c.mayValue(ch.Values != nil), c.mayGive(ch.rolesKey(), r.roles(), r.Values)); err != nil {
			return err
		}
		if n, err := c.CountRecords(accountsBucket, ""); err != nil || n >= MostAccounts {
			return cmp.Or(err, refused(fmt.Sprintf("There are already %d accounts, which is the maximum", MostAccounts)))
		}
		if err := free(c.Tx, r.Email, id); err != nil {
			return err
		}
		if err := dropLinks(c.Tx, ""); err != nil { // the link for the first account
			return err
		}
		return errors.Join(r.put(c.Tx, id), c.note("account.create", id, r, map[string]string{"role": idsOf(r.roles())}))
	})
	if err != nil {
		return nil, err
	}
	return b.ByID(id), nil
}

// prepare sets the changed values in r: checked, with the password hashed.
func (b *Directory) prepare(ctx context.Context, r *record, ch AccountChange) (_ *record, err error) {
	if ch.Name != nil {
		if r.Name, err = checkName(*ch.Name); err != nil {
			return nil, err
		}
	}
	if ch.Email != nil {
		if r.Email, err = checkEmail(*ch.Email); err != nil {
			return nil, err
		}
	}
	roles, err := chosenRoles(ch.Role, ch.Roles)
	if err != nil {
		return nil, err
	}
	if roles != nil {
		r.setRoles(roles)
	}
	if ch.Values != nil {
		if r.Values, err = checkValues(*ch.Values); err != nil {
			return nil, err
		}
	}
	if ch.Password != nil {
		if err = checkPassword("password", *ch.Password); err == nil {
			r.Hash, err = b.passwords.Hash(ctx, *ch.Password)
		}
	}
	return r, err
}

// checkValues checks the values of an account. The error is a *FieldError.
func checkValues(values auth.AccountValues) (auth.AccountValues, error) {
	wrong := (*auth.AccountValueError)(nil)
	if errors.As(values.Check(), &wrong) {
		key := "values"
		if wrong.Name != "" {
			key += "." + wrong.Name
		}
		return nil, &FieldError{key, wrong.Message}
	}
	return values, nil
}

// Change changes an account. A new password ends its sessions and assistants, and so does blocking it or
// unlinking it from a person at the provider; a new role applies to them at once. Errors
// are those of Create, and ErrNotFound.
func (b *Directory) Change(ctx context.Context, by By, id string, ch AccountChange) (*Account, error) {
	if ch.Password != nil && by.is(id) {
		return nil, errOwnPassword
	}
	if ch.Password != nil && b.closed(ByPassword) {
		return nil, errNoPasswords
	}
	next, err := b.prepare(ctx, &record{}, ch)
	if err != nil {
		return nil, err
	}
	err = b.change(by, func(c *change) error {
		r, err := c.mayChange(id)
		if err != nil {
			return err
		}
		if err := c.mayChangeTo(by, id, r, next, ch); err != nil {
			return err
		}
		if ch.Password != nil || ch.blocks(r) || ch.unlinks(r) {
			if err := endAccess(c.Tx, id, ""); err != nil {
				return err
			}
		}
		if ch.Email != nil && next.Email != r.Email { // the former one may be somebody else's
			if err := dropLinks(c.Tx, id); err != nil {
				return err
			}
		}
		changed := ch.changes(r, next)
		return errors.Join(r.with(next, ch).put(c.Tx, id), c.note("account.update", id, r, changed))
	})
	if err != nil {
		return nil, err
	}
	a := b.ByID(id)
	if a == nil {
		return nil, ErrNotFound // removed since
	}
	return a, nil
}

// mayChangeTo refuses a change of an account that the actor may not make, and one that leaves
// the site without an owner.
func (c *change) mayChangeTo(by By, id string, r, next *record, ch AccountChange) error {
	if err := c.mayValue(ch.Values != nil); err != nil {
		return err
	}
	if ch.givesRoles() {
		added := slices.DeleteFunc(next.roles(), func(id string) bool { return slices.Contains(r.roles(), id) })
		if err := c.mayGive(ch.rolesKey(), added, r.Values); err != nil {
			return err
		}
	}
	if ch.OpenID != nil && *ch.OpenID && r.Link == nil {
		return &FieldError{"openid", "An account is linked to a person at the provider when they sign in there"}
	}
	if ch.blocks(r) && by.is(id) {
		return refused("You cannot block your own account; another owner can")
	}
	if r.isOwner() && (ch.givesRoles() && !next.isOwner() || ch.blocks(r)) {
		if err := c.keepsOwner(id); err != nil {
			return err
		}
	}
	if ch.Email != nil {
		return free(c.Tx, next.Email, id)
	}
	return nil
}

// givesRoles reports whether the change gives an account its roles.
func (ch *AccountChange) givesRoles() bool { return ch.Role != nil || ch.Roles != nil }

// rolesKey returns the key of the roles in the form.
func (ch *AccountChange) rolesKey() string {
	if ch.Roles != nil {
		return "roles"
	}
	return "role"
}

// blocks reports whether the change blocks an account that is not blocked.
func (ch *AccountChange) blocks(r *record) bool {
	return ch.Blocked != nil && *ch.Blocked && !r.Blocked
}

// unlinks reports whether the change removes the link to a person at the provider.
func (ch *AccountChange) unlinks(r *record) bool {
	return ch.OpenID != nil && !*ch.OpenID && r.Link != nil
}

// changes returns the details for the audit log of a change of a record to next.
func (ch *AccountChange) changes(r, next *record) map[string]string {
	said := map[string]string{}
	if ch.givesRoles() && !slices.Equal(next.roles(), r.roles()) {
		said["role"], said["former role"] = idsOf(next.roles()), idsOf(r.roles())
	}
	if ch.Values != nil && !maps.Equal(next.Values, r.Values) {
		said["values"], said["former values"] = fmt.Sprint(next.Values), fmt.Sprint(r.Values)
	}
	if ch.Email != nil && Normal(*ch.Email) != r.Email {
		said["former email"] = r.Email
	}
	if ch.Password != nil {
		said["password"] = "another one; sessions and assistants ended"
	}
	if ch.unlinks(r) {
		said["openid"] = "unlinked; sessions and assistants ended"
	}
	if ch.Blocked != nil && *ch.Blocked != r.Blocked {
		said["blocked"] = fmt.Sprint(*ch.Blocked)
	}
	return said
}

// with returns the record with the changed values of next.
func (r *record) with(next *record, ch AccountChange) *record {
	if ch.Name != nil {
		r.Name = next.Name
	}
	if ch.Email != nil {
		r.Email = next.Email
	}
	if ch.givesRoles() {
		r.setRoles(next.roles())
	}
	if ch.Password != nil {
		r.Hash = next.Hash
	}
	if ch.Values != nil {
		r.Values = next.Values
	}
	if ch.Blocked != nil {
		r.Blocked = *ch.Blocked
	}
	if ch.unlinks(r) {
		r.Link = nil
	}
	return r
}

// Remove removes an account with its sessions, links and assistants. The content that it has written
// stays. Errors are ErrNotFound, ErrForbidden, *RefusedError and the store's.
func (b *Directory) Remove(by By, id string) error {
	return b.change(by, func(c *change) error {
		r, err := c.mayChange(id)
		switch {
		case err != nil:
			return err
		case by.is(id):
			return refused("You cannot remove your own account; another owner can")
		case r.isOwner():
			err = c.keepsOwner(id)
		}
		for _, step := range []func(*store.Tx) error{
			func(tx *store.Tx) error { return endAccess(tx, id, "") },
			func(tx *store.Tx) error { return dropLinks(tx, id) },
			func(tx *store.Tx) error { return tx.DeleteRecord(factorsBucket, id) },
			func(tx *store.Tx) error { return dropPasskeys(tx, id) },
			func(tx *store.Tx) error { return desk.Clear(tx, id) },
			func(tx *store.Tx) error { return arrange.Clear(tx, id) },
			func(tx *store.Tx) error { return review.Clear(tx, id) },
			func(tx *store.Tx) error { return tx.DeleteRecord(accountsBucket, id) },
			func(*store.Tx) error { return c.note("account.delete", id, r, nil) },
		} {
			if err == nil {
				err = step(c.Tx)
			}
		}
		return err
	})
}
