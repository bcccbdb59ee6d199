package auth

import (
	"encoding/json"
	"fmt"
	"slices"

	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// Check examines keys, tokens and roles in a data file. A token that cannot be read lets
// nobody in, and Repair removes it. Errors are the store's.
func Check(site *schema.Site, tx *store.Tx) ([]verify.Fault, error) {
	c := &checker{site: site, tx: tx, known: TokenPermissions(site), types: map[string]string{}}
	for _, step := range []func() error{c.keys, c.tokens, c.allRoles} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

type checker struct {
	site  *schema.Site
	tx    *store.Tx
	known []Permission
	found []verify.Fault

	types map[string]string // of roles, with the documentId of the first role of that type
}

func (c *checker) add(place, message, fix string) {
	c.found = append(c.found, verify.Fault{Place: place, Message: message, Count: 1, Fix: fix})
}

func (c *checker) note(place, message string, count int) {
	if count > 0 {
		c.found = append(c.found, verify.Fault{Place: place, Message: message, Count: count, Note: true})
	}
}

func (c *checker) keys() error {
	return c.tx.Records(secretsBucket, func(name string, value []byte) error {
		if len(value) < shortestSecret {
			c.add("the secret "+name, fmt.Sprintf("it has %d bytes, too few to be safe", len(value)), "restore the latest backup with `quire restore --replace FILE SITE`")
		}
		return nil
	})
}

func (c *checker) tokens() error {
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

// readToken parses the token that is stored under a name, and validates it.
func readToken(name string, value []byte) (*token, error) {
	t, err := parseToken(value)
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case t.Name != name:
		return nil, fmt.Errorf("it has the name %q", t.Name)
	case !slices.Contains([]TokenKind{FullAccess, ReadOnly, Custom}, t.Kind):
		return nil, fmt.Errorf("its type %q is unknown", t.Kind)
	}
	return t, nil
}

func (c *checker) has(name string) bool {
	p, ok := ParsePermission(name)
	return ok && slices.Contains(c.known, p)
}

func (c *checker) allRoles() error {
	return c.tx.Scan(schema.RoleUID, func(e *store.Entry) error {
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

// Repair removes tokens that cannot be read, and reports which.
func Repair(tx *store.Tx) (removed []verify.Fault, err error) {
	return RemoveUnreadable(tx, tokensBucket, func(name string, value []byte) error {
		_, err := readToken(name, value)
		return err
	})
}

// RemoveUnreadable removes the records of a bucket that read refuses, and reports
// which.
func RemoveUnreadable(tx *store.Tx, bucket string, read func(name string, value []byte) error) (removed []verify.Fault, err error) {
	err = tx.Records(bucket, func(name string, value []byte) error {
		fault := read(name, value)
		if fault == nil {
			return nil
		}
		removed = append(removed, verify.Fault{Place: fmt.Sprintf("%s %q", bucket, name), Message: fault.Error() + "; it is removed", Count: 1})
		return tx.DeleteRecord(bucket, name)
	})
	return removed, err
}
