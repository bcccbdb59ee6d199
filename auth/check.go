package auth

import (
	"encoding/json"
	"fmt"
	"slices"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// Check looks at the accounts in a data file: keys, tokens, sessions, roles and
// users. What cannot be read of tokens and sessions lets nobody in, and Repair
// removes it. Errors are the store's.
func Check(site *schema.Site, tx *store.Tx) ([]content.Fault, error) {
	c := &checking{site: site, tx: tx, known: Known(site), roles: map[string]bool{}, types: map[string]string{}, users: map[string]bool{}}
	for _, step := range []func() error{c.keys, c.tokens, c.allRoles, c.allUsers, c.sessions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

type checking struct {
	site  *schema.Site
	tx    *store.Tx
	known []Permission
	found []content.Fault

	roles map[string]bool   // by documentId
	types map[string]string // of roles, with the documentId of the first that has it
	users map[string]bool   // by documentId
}

func (c *checking) add(place, message, fix string) {
	c.found = append(c.found, content.Fault{Place: place, Message: message, Count: 1, Fix: fix})
}

func (c *checking) note(place, message string, count int) {
	if count > 0 {
		c.found = append(c.found, content.Fault{Place: place, Message: message, Count: count, Note: true})
	}
}

func (c *checking) keys() error {
	return c.tx.Records(secretsBucket, func(name string, value []byte) error {
		if len(value) < shortestSecret {
			c.add("the secret "+name, fmt.Sprintf("it has %d bytes, too few to be safe", len(value)), "restore the latest backup with `quire restore --replace FILE SITE`")
		}
		return nil
	})
}

func (c *checking) tokens() error {
	return c.tx.Records(tokensBucket, func(name string, value []byte) error {
		place := fmt.Sprintf("the API token %q", name)
		t, err := readToken(name, value)
		if err != nil {
			c.add(place, err.Error(), "")
			return nil
		}
		unknown := slices.DeleteFunc(slices.Clone(t.Permissions), c.has)
		if len(unknown) > 0 {
			c.note(place, fmt.Sprintf("it allows what the site does not have: %v", unknown), 1)
		}
		return nil
	})
}

// readToken reads a token as it is stored under a name.
func readToken(name string, value []byte) (*token, error) {
	t, err := parseToken(value)
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case t.Name != name:
		return nil, fmt.Errorf("it says that it is called %q", t.Name)
	case !slices.Contains([]TokenKind{FullAccess, ReadOnly, Custom}, t.Kind):
		return nil, fmt.Errorf("it is of the kind %q, which there is not", t.Kind)
	}
	return t, nil
}

func (c *checking) has(name string) bool {
	p, ok := ParsePermission(name)
	return ok && slices.Contains(c.known, p)
}

func (c *checking) allRoles() error {
	return c.tx.Scan(schema.RoleUID, func(e *store.Entry) error {
		c.roles[e.DocumentID] = true
		kind, place := e.Value("type").Text, "the role "+e.DocumentID
		if first, taken := c.types[kind]; taken {
			c.add(place, fmt.Sprintf("its type %q is that of the role %s, which alone counts", kind, first), "give its users the other role, and delete it")
		} else {
			c.types[kind] = e.DocumentID
		}
		if text := e.Value("permissions").Text; text != "" && json.Unmarshal([]byte(text), new([]string)) != nil {
			c.add(place, "what it allows cannot be read, so that it allows nothing", "set its permissions anew through the API")
		}
		return nil
	})
}

func (c *checking) allUsers() error {
	without := 0
	err := c.tx.Scan(schema.UserUID, func(e *store.Entry) error {
		c.users[e.DocumentID] = true
		if edges := e.Value("role").Edges; len(edges) == 0 || !c.roles[edges[0].Target] {
			without++
		}
		return nil
	})
	c.note("users", "they have no role, or one that is gone, and may do nothing: `quire user set-role` gives them one", without)
	return err
}

func (c *checking) sessions() error {
	over := 0
	err := c.tx.Records(sessionsBucket, func(id string, value []byte) error {
		f := new(family)
		if err := json.Unmarshal(value, f); err != nil {
			c.add("the session "+id[:min(8, len(id))]+"…", "it cannot be read: "+err.Error(), "")
		} else if !c.users[f.User] {
			over++
		}
		return nil
	})
	c.note("sessions", "their users are gone: nobody is let in, and they are removed in time", over)
	return err
}

// Repair removes tokens and sessions that cannot be read, and says which. Nobody
// else may be using db; when there is none, nothing is written.
func Repair(db *store.DB) (removed []content.Fault, err error) {
	err = db.Update(func(tx *store.Tx) error {
		removed, err = unreadable(tx, tokensBucket, func(name string, value []byte) error {
			_, err := readToken(name, value)
			return err
		})
		if err != nil {
			return err
		}
		sessions, err := unreadable(tx, sessionsBucket, func(_ string, value []byte) error {
			return json.Unmarshal(value, new(family))
		})
		removed = append(removed, sessions...)
		return err
	})
	return removed, err
}

// unreadable removes the records of a bucket that read refuses.
func unreadable(tx *store.Tx, bucket string, read func(name string, value []byte) error) (removed []content.Fault, err error) {
	err = tx.Records(bucket, func(name string, value []byte) error {
		fault := read(name, value)
		if fault == nil {
			return nil
		}
		removed = append(removed, content.Fault{Place: fmt.Sprintf("%s %q", bucket, name), Message: fault.Error() + "; it is removed", Count: 1})
		return tx.DeleteRecord(bucket, name)
	})
	return removed, err
}
