package people

import (
	"context"
	"encoding/json"
	"errors"

	"quire/auth"
	"quire/content/audit"
	"quire/schema"
	"quire/store"
)

// By is the actor of a change: an account, or a command on the machine, which may do
// everything.
type By struct {
	Account *Account      // nil for a command
	Source  *audit.Source // for the audit log
}

// note records a change of an account in the audit log.
func (c *change) note(action, id string, r *record, details map[string]string) error {
	return audit.Note(c.Tx, c.source, audit.Event{Action: action, Target: accountTarget(id, r.Email), Details: details})
}

// noteRole records a change of a role in the audit log. The details have the rights of the
// role.
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

// ownSource returns the source for changes of an account by itself, and for a person who
// signs in to it: the address comes from the context.
func ownSource(ctx context.Context, id, email string) *audit.Source {
	own := audit.Of(ctx)
	if own != nil && own.By == "" {
		own.By, own.Name = store.ActorOf(store.ByAdmin, id), email
	}
	return own
}

// is reports whether it is the account with that id.
func (b By) is(id string) bool { return b.Account != nil && b.Account.ID == id }

// errOwnPassword prevents somebody with a stolen session from taking over the account.
var errOwnPassword = refused("Change your own password with your current one")

// Errors of changes of accounts and roles.
var (
	// ErrForbidden refuses an actor who may not change accounts, or not these.
	ErrForbidden = errors.New("this needs rights that your role does not have")
	// ErrNotFound reports that the account or role does not exist.
	ErrNotFound = errors.New("there is no such account or role")
)

// RefusedError refuses a change that would leave the accounts in a bad state.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

func refused(message string) error { return &RefusedError{message} }

// change is one change of accounts and roles, within its transaction. What it reads is
// valid until it is committed.
type change struct {
	*store.Tx
	directory *Directory
	site      *schema.Site
	roles     Roles         // of the actor
	source    *audit.Source // the actor
}

// change carries out a change of an actor who may change accounts.
func (b *Directory) change(by By, fn func(c *change) error) error {
	return b.db.Update(func(tx *store.Tx) error {
		c := b.changeIn(tx, by.Source)
		if by.Account != nil {
			if _, err := c.actor(by.Account.ID); err != nil {
				return err
			}
		}
		return fn(c)
	})
}

// changeIn returns a change of a command on the machine.
func (b *Directory) changeIn(tx *store.Tx, source *audit.Source) *change {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return &change{Tx: tx, directory: b, site: b.site, roles: builtIn()[:1], source: source}
}

// actor makes the change that of an account, which must have the right to change accounts. Errors
// are ErrForbidden and the store's.
func (c *change) actor(id string) (*record, error) {
	r, roles, err := c.account(id)
	if err != nil {
		return nil, errors.Join(ErrForbidden, err)
	}
	if c.roles = roles; !roles.Has(Accounts) {
		return nil, ErrForbidden
	}
	return r, nil
}

// account reads an account and its roles. The error is ErrNotFound, or the store's.
func (c *change) account(id string) (*record, Roles, error) {
	value, err := c.Record(accountsBucket, id)
	if err != nil {
		return nil, nil, err
	}
	r, err := readRecord(value)
	if err != nil {
		return nil, nil, ErrNotFound
	}
	roles := Roles{}
	for _, id := range r.roles() {
		switch role, err := c.find(id); {
		case err == nil:
			roles = append(roles, role)
		case !errors.Is(err, ErrNotFound):
			return nil, nil, err
		}
	}
	return r, roles.of(r.Values), nil
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

// mayChange returns the account of an id if the actor may do all that the account may do:
// otherwise the actor could take over an account with more rights.
func (c *change) mayChange(id string) (*record, error) {
	r, roles, err := c.account(id)
	if err == nil && roles.any(func(one *Role) bool { return !c.roles.covers(one, c.site) }) {
		err = ErrForbidden
	}
	return r, err
}

// mayGive refuses roles that do not exist, or that the actor may not give to an account with these
// values. key is where the form has them.
func (c *change) mayGive(key string, ids []string, values auth.AccountValues) error {
	for _, id := range ids {
		r, err := c.find(id)
		switch {
		case errors.Is(err, ErrNotFound):
			return &FieldError{key, errNoRole}
		case err == nil && !c.roles.covers(Roles{r}.of(values)[0], c.site):
			err = ErrForbidden
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mayValue refuses values of an account to all but owners: they decide what its roles reach.
func (c *change) mayValue(given bool) error {
	if given && !c.roles.Full() {
		return ErrForbidden
	}
	return nil
}

// keepsOwner refuses a change that leaves no owner who may sign in: the account with the id
// no longer counts.
func (c *change) keepsOwner(id string) error {
	others := 0
	err := c.Records(accountsBucket, func(other string, value []byte) error {
		if r, err := readRecord(value); err == nil && r.isOwner() && !r.Blocked && other != id {
			others++
		}
		return nil
	})
	if err == nil && others == 0 {
		err = refused("This is the last owner; make another account an owner first")
	}
	return err
}
