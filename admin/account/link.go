package account

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"quire/auth"
	"quire/store"
)

// linksBucket holds the links that let somebody choose a password, by the keyed hash of
// their token.
const linksBucket = "admin.links"

// ErrLink refuses the token of a link that is not valid any more.
var ErrLink = errors.New("this link is not valid any more")

// LinkLife is how long a link for the password of an account works. That for the first
// account works until there is one.
const LinkLife = 72 * time.Hour

// mostSetupLinks is how many links for the first account work at a time: each start of
// a server, on any node, makes one.
const mostSetupLinks = 8

// link is the stored form of a link. Its key is the keyed hash of the token.
type link struct {
	Account string    `json:"account,omitempty"` // id; empty for the first account
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires,omitzero"`  // zero for never
	Command bool      `json:"command,omitempty"` // it was made on the machine
}

func (l *link) over(now time.Time) bool { return !l.Expires.IsZero() && !now.Before(l.Expires) }

func readLink(value []byte) (*link, error) {
	l := new(link)
	return l, json.Unmarshal(value, l)
}

// putLink stores a link, and returns its token.
func (b *Book) putLink(tx *store.Tx, l link) (token string, err error) {
	token = auth.RandomText(tokenBytes)
	value, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	return token, tx.PutRecord(linksBucket, b.digest(token), value)
}

// findLink returns the link of a token. The error is ErrLink, or the store's.
func (b *Book) findLink(tx *store.Tx, token string) (*link, error) {
	value, err := tx.Record(linksBucket, b.digest(token))
	if err != nil {
		return nil, err
	}
	l, err := readLink(value)
	if err != nil || l.over(b.now()) {
		return nil, ErrLink
	}
	return l, nil
}

// dropLinks removes the links of an account, or those for the first one.
func dropLinks(tx *store.Tx, id string) error {
	return dropLinksWhere(tx, func(l *link) bool { return l.Account == id })
}

// way is how whoever has the link comes in.
func (l *link) way() Way {
	if l.Command || l.Account == "" {
		return ByCommand
	}
	return ByLink
}

func dropLinksWhere(tx *store.Tx, which func(*link) bool) error {
	return tx.Records(linksBucket, func(key string, value []byte) error {
		if l, err := readLink(value); err != nil || which(l) {
			return tx.DeleteRecord(linksBucket, key)
		}
		return nil
	})
}

// dropOldLinks leaves room for one more link for the first account.
func dropOldLinks(tx *store.Tx) error {
	type made struct {
		key string
		at  time.Time
	}
	var all []made
	err := tx.Records(linksBucket, func(key string, value []byte) error {
		l, _ := readLink(value) // one that cannot be read is the oldest
		all = append(all, made{key, l.Made})
		return nil
	})
	slices.SortFunc(all, func(a, b made) int { return a.at.Compare(b.at) })
	for i := 0; i <= len(all)-mostSetupLinks && err == nil; i++ {
		err = tx.DeleteRecord(linksBucket, all[i].key)
	}
	return err
}

// ResetLink makes the token of a link with which somebody chooses the password of an
// account, until the moment that it returns. A former one works no more. Errors are
// *FieldError where people have no passwords, ErrNotFound, ErrForbidden, *RefusedError and the store's.
func (b *Book) ResetLink(by By, id string) (token string, expires time.Time, err error) {
	if by.is(id) {
		return "", expires, errOwnPassword
	}
	if by.Account != nil && b.closed(ByLink) {
		return "", expires, errNoPasswords
	}
	now := b.now().UTC()
	expires = now.Add(LinkLife).Truncate(time.Second)
	err = b.change(by, func(c *change) error {
		r, err := c.mayChange(id)
		if err != nil {
			return err
		}
		if err := dropLinks(c.Tx, id); err != nil {
			return err
		}
		token, err = b.putLink(c.Tx, link{Account: id, Made: now, Expires: expires, Command: by.Account == nil})
		return errors.Join(err, c.note("account.reset-link", id, r, nil))
	})
	return token, expires, err
}
