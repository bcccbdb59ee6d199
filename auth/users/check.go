package users

import (
	"encoding/json"
	"fmt"
	"slices"

	"quire/auth"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// Check examines the accounts in a data file: keys, tokens, roles, users, sessions and
// mail. Tokens and sessions that cannot be read let nobody in, mail that cannot be read is
// not sent, and Repair removes them. Errors are the store's.
func Check(site *schema.Site, tx *store.Tx) ([]verify.Fault, error) {
	found, err := auth.Check(site, tx)
	if err != nil {
		return nil, err
	}
	c := &accountCheck{tx: tx, finder: tx.Finder(), found: found, roles: map[string]bool{}}
	for _, step := range []func() error{c.allRoles, c.allUsers, c.sessions, c.outbox} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

type accountCheck struct {
	tx     *store.Tx
	finder *store.Finder
	found  []verify.Fault
	roles  map[string]bool // by documentId
}

func (c *accountCheck) add(place, message string) {
	c.found = append(c.found, verify.Fault{Place: place, Message: message, Count: 1})
}

func (c *accountCheck) note(place, message string, count int) {
	if count > 0 {
		c.found = append(c.found, verify.Fault{Place: place, Message: message, Count: count, Note: true})
	}
}

func (c *accountCheck) allRoles() error {
	return c.tx.Scan(schema.RoleUID, func(e *store.Entry) error {
		c.roles[e.DocumentID] = true
		return nil
	})
}

func (c *accountCheck) allUsers() error {
	without := 0
	err := c.tx.Lend(schema.UserUID, func(e *store.Entry) error {
		if edges := e.Value("role").Edges; len(edges) == 0 || !c.roles[edges[0].Target] {
			without++
		}
		return nil
	})
	c.note("users", "they have no role, or one that is gone, and may do nothing: `quire user set-role` gives them one", without)
	return err
}

func (c *accountCheck) sessions() error {
	over := 0
	err := c.tx.Records(sessionsBucket, func(id string, value []byte) error {
		f := new(family)
		if err := json.Unmarshal(value, f); err != nil {
			c.add("the session "+id[:min(8, len(id))]+"…", "it cannot be read: "+err.Error())
		} else if _, there := c.finder.ID(schema.UserUID, store.Key{DocumentID: f.User, Status: store.Published}); !there {
			over++
		}
		return nil
	})
	c.note("sessions", "their users are gone: nobody is let in, and they are removed in time", over)
	return err
}

func (c *accountCheck) outbox() error {
	return c.tx.Records(store.OutboxBucket, func(name string, value []byte) error {
		if err := store.CheckParcel(name, value); err != nil {
			c.add(fmt.Sprintf("%q in the outbox", name), err.Error())
		}
		return nil
	})
}

// Repair removes tokens, sessions and mail that cannot be read, and reports which. Nobody
// else may be using the store.
func Repair(tx *store.Tx) (removed []verify.Fault, err error) {
	tokens, err := auth.Repair(tx)
	if err != nil {
		return nil, err
	}
	sessions, err := auth.RemoveUnreadable(tx, sessionsBucket, func(_ string, value []byte) error {
		return json.Unmarshal(value, new(family))
	})
	if err != nil {
		return nil, err
	}
	parcels, err := auth.RemoveUnreadable(tx, store.OutboxBucket, store.CheckParcel)
	return slices.Concat(tokens, sessions, parcels), err
}
