package people

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"quire/auth"
	"quire/content/review"
	"quire/store"
)

// linksBucket holds the links for choosing a password, by the keyed hash of their token.
const linksBucket = "admin.links"

// ErrLink refuses the token of a link that is no longer valid.
var ErrLink = errors.New("this link is not valid any more")

// LinkLife is how long a link for the password of an account is valid. The link for the
// first account is valid until there is an account.
const LinkLife = 72 * time.Hour

// mostSetupLinks is the maximum number of valid links for the first account: each start of
// a server, on any node, creates one.
const mostSetupLinks = 8

// link is the stored form of a link. Its key is the keyed hash of the token.
type link struct {
	Account string    `json:"account,omitempty"` // id; empty for the first account
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires,omitzero"`  // zero for never
	Command bool      `json:"command,omitempty"` // created on the machine
	By      string    `json:"by,omitempty"`      // id of the account that has seen it
}

func (l *link) over(now time.Time) bool { return !l.Expires.IsZero() && !now.Before(l.Expires) }

func readLink(value []byte) (*link, error) {
	l := new(link)
	return l, json.Unmarshal(value, l)
}

// putLink stores a link, and returns its token.
func (b *Directory) putLink(tx *store.Tx, l link) (token string, err error) {
	token = auth.RandomText(tokenBytes)
	value, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	return token, tx.PutRecord(linksBucket, b.digest(token), value)
}

// findLink returns the link with a token. One that another account has seen is valid as long as
// that account may change this one: otherwise it could take over an account that has got more
// rights since. The error is ErrLink, or the store's.
func (b *Directory) findLink(tx *store.Tx, token string) (*link, error) {
	value, err := tx.Record(linksBucket, b.digest(token))
	if err != nil {
		return nil, err
	}
	l, err := readLink(value)
	if err != nil || l.over(b.now()) {
		return nil, ErrLink
	}
	if l.By == "" {
		return l, nil
	}
	c := b.changeIn(tx, nil)
	by, err := c.actor(l.By)
	if err == nil && by.Blocked {
		err = ErrForbidden
	}
	if err == nil {
		_, err = c.mayChange(l.Account)
	}
	if errors.Is(err, ErrForbidden) || errors.Is(err, ErrNotFound) {
		err = ErrLink
	}
	return l, err
}

// dropLinks removes the links of an account, or, for an empty id, those for the first one.
func dropLinks(tx *store.Tx, id string) error {
	return dropLinksWhere(tx, func(l *link) bool { return l.Account == id })
}

// way returns the way in which the holder of the link signs in.
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

// dropOldLinks removes old links for the first account, so that there can be another.
func dropOldLinks(tx *store.Tx) error {
	type made struct {
		key string
		at  time.Time
	}
	var all []made
	err := tx.Records(linksBucket, func(key string, value []byte) error {
		l, _ := readLink(value) // one that cannot be read counts as the oldest
		all = append(all, made{key, l.Made})
		return nil
	})
	slices.SortFunc(all, func(a, b made) int { return a.at.Compare(b.at) })
	for i := 0; i <= len(all)-mostSetupLinks && err == nil; i++ {
		err = tx.DeleteRecord(linksBucket, all[i].key)
	}
	return err
}

// ResetLink creates the token of a link for choosing the password of an account, valid
// until the returned time. It invalidates a former link. Errors are *FieldError if people
// have no passwords, ErrNotFound, ErrForbidden, *RefusedError and the store's.
func (b *Directory) ResetLink(by By, id string) (token string, expires time.Time, err error) {
	return b.makeLink(by, id, nil, nil)
}

// Invite is ResetLink for a link that is sent: send returns what sends it, as part of the
// transaction.
func (b *Directory) Invite(by By, id string, send func(to *Account, token string, expires time.Time) (review.InTx, error)) (expires time.Time, err error) {
	to := b.ByID(id)
	if to == nil {
		return expires, ErrNotFound
	}
	_, expires, err = b.makeLink(by, id, map[string]string{"sent": "by mail"}, func(c *change, r *record, token string, expires time.Time) error {
		if r.Email != to.Email {
			return ErrNotFound // it was changed meanwhile: the link would go to the former address
		}
		put, err := send(to, token, expires)
		if err != nil {
			return err
		}
		return put(c.Tx)
	})
	return expires, err
}

func (b *Directory) makeLink(by By, id string, details map[string]string, send func(c *change, r *record, token string, expires time.Time) error) (token string, expires time.Time, err error) {
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
		made := link{Account: id, Made: now, Expires: expires, Command: by.Account == nil}
		if by.Account != nil && send == nil {
			made.By = by.Account.ID
		}
		token, err = b.putLink(c.Tx, made)
		if err == nil && send != nil {
			err = send(c, r, token, expires)
		}
		return errors.Join(err, c.note("account.reset-link", id, r, details))
	})
	return token, expires, err
}
