package account

import (
	"context"
	"encoding/json"
	"errors"

	"quire/audit"
	"quire/schema"
	"quire/store"
)

// By is who asks for a change: an account, or a command on the machine, which may do
// everything.
type By struct {
	Account *Account      // nil for a command
	Source  *audit.Source // for the audit log
}

// note notes in the audit log what is done to an account.
func (c *change) note(action, id string, r *record, details map[string]string) error {
	return audit.Note(c.Tx, c.source, audit.Event{Action: action, Target: accountTarget(id, r.Email), Details: details})
}

// noteRole notes in the audit log what is done to a role. What the role allows is in the
// details.
func (c *change) noteRole(action string, r *Role) error {
	rights, err := json.Marshal(r.Rights)
	if err != nil {
		return err
	}
	details := map[string]string{"rights": string(rights)}
	if r.SecondFactor {
		details["second factor"] = "required"
	}
	return audit.Note(c.Tx, c.source, audit.Event{Action: action, Target: audit.Target{Type: "admin role", ID: r.ID, Name: r.Name}, Details: details})
}

func accountTarget(id, email string) audit.Target {
	return audit.Target{Type: "account", ID: id, Name: email}
}

// ownSource is the source of what an account does to itself, and of what somebody does
// who comes to be it: the context says from where.
func ownSource(ctx context.Context, id, email string) *audit.Source {
	own := audit.Of(ctx)
	if own != nil && own.By == "" {
		own.By, own.Name = store.ActorOf(store.ByAdmin, id), email
	}
	return own
}

// is reports whether it is the account of that id.
func (b By) is(id string) bool { return b.Account != nil && b.Account.ID == id }

// errOwnPassword keeps whoever has found a session of somebody from taking the account.
var errOwnPassword = refused("Change your own password with your current one")

// Errors of changes of accounts and roles.
var (
	// ErrForbidden refuses whoever may not change accounts, or not these.
	ErrForbidden = errors.New("this needs rights that your role does not have")
	// ErrNotFound says that there is no such account or role.
	ErrNotFound = errors.New("there is no such account or role")
)

// RefusedError refuses a change that would leave the accounts in a bad state.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

func refused(message string) error { return &RefusedError{message} }

// change is one change of accounts and roles, within its transaction. What it reads holds
// until it is committed.
type change struct {
	*store.Tx
	book   *Book
	site   *schema.Site
	role   *Role         // of whoever asks
	source *audit.Source // who that is
}

// change carries out a change in the name of somebody who may change accounts.
func (b *Book) change(by By, fn func(c *change) error) error {
	b.mu.RLock()
	site := b.site
	b.mu.RUnlock()
	return b.db.Update(func(tx *store.Tx) error {
		c := &change{Tx: tx, book: b, site: site, role: builtIn()[0], source: by.Source}
		if by.Account != nil {
			_, r, err := c.account(by.Account.ID)
			if err != nil {
				return errors.Join(ErrForbidden, err)
			}
			if c.role = r; !r.Has(Accounts) {
				return ErrForbidden
			}
		}
		return fn(c)
	})
}

// account reads an account and its role. The error is ErrNotFound, or the store's.
func (c *change) account(id string) (*record, *Role, error) {
	value, err := c.Record(accountsBucket, id)
	if err != nil {
		return nil, nil, err
	}
	r, err := readRecord(value)
	if err != nil {
		return nil, nil, ErrNotFound
	}
	role, err := c.find(r.Role)
	if errors.Is(err, ErrNotFound) {
		role, err = nobody, nil
	}
	return r, role, err
}

// find reads a role. The error is ErrNotFound, or the store's.
func (c *change) find(id string) (*Role, error) {
	for _, r := range builtIn() {
		if r.ID == id {
			return r, nil
		}
	}
	value, err := c.Record(rolesBucket, id)
	if err != nil {
		return nil, err
	}
	r, err := readRole(id, value)
	if err != nil {
		return nil, ErrNotFound
	}
	return r, nil
}

// mayChange returns the account of an id if whoever asks may do all that it may do:
// others could be taken over.
func (c *change) mayChange(id string) (*record, error) {
	r, role, err := c.account(id)
	if err == nil && !c.role.covers(role, c.site) {
		err = ErrForbidden
	}
	return r, err
}

// mayGive returns the role of an id if whoever asks may give it.
func (c *change) mayGive(id string) (*Role, error) {
	r, err := c.find(id)
	if errors.Is(err, ErrNotFound) {
		return nil, &FieldError{"role", "There is no such role"}
	}
	if err == nil && !c.role.covers(r, c.site) {
		err = ErrForbidden
	}
	return r, err
}

// keepsOwner refuses a change after which nobody is an owner who may sign in: the account of
// the id is one no more.
func (c *change) keepsOwner(id string) error {
	others := 0
	err := c.Records(accountsBucket, func(other string, value []byte) error {
		if r, err := readRecord(value); err == nil && r.Role == owner && !r.Blocked && other != id {
			others++
		}
		return nil
	})
	if err == nil && others == 0 {
		err = refused("This is the last owner; make another account an owner first")
	}
	return err
}
