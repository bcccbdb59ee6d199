package account

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
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

// ErrSetUp refuses a first account where there is one.
var ErrSetUp = errors.New("the site has an account already; sign in")

// link is the stored form of a link.
type link struct {
	Made time.Time `json:"made"`
}

// mostSetupLinks is how many links for the first account work at a time: each start of
// a server, on any node, makes one.
const mostSetupLinks = 8

// Needed reports whether there is no account yet.
func (b *Book) Needed() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.byID) == 0
}

// SetupToken makes a token with which the first account can be made, and returns it;
// empty where there is an account.
func (b *Book) SetupToken() (token string, err error) {
	if !b.Needed() {
		return "", nil
	}
	err = b.db.Update(func(tx *store.Tx) error {
		if n, err := tx.CountRecords(accountsBucket, ""); err != nil || n > 0 {
			return err
		}
		if err := dropOldLinks(tx); err != nil {
			return err
		}
		token = auth.RandomText(tokenBytes)
		value, err := json.Marshal(link{b.now().UTC()})
		if err != nil {
			return err
		}
		return tx.PutRecord(linksBucket, b.keyOf(token), value)
	})
	return token, err
}

// dropOldLinks leaves room for one more.
func dropOldLinks(tx *store.Tx) error {
	type made struct {
		key string
		at  time.Time
	}
	var all []made
	err := tx.Records(linksBucket, func(key string, value []byte) error {
		var l link
		_ = json.Unmarshal(value, &l) // one that cannot be read is the oldest
		all = append(all, made{key, l.Made})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b made) int { return a.at.Compare(b.at) })
	for i := 0; i <= len(all)-mostSetupLinks; i++ {
		if err := tx.DeleteRecord(linksBucket, all[i].key); err != nil {
			return err
		}
	}
	return nil
}

// First is what the first account is made from.
type First struct {
	Token    string `json:"token"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`

	From netip.Addr `json:"-"`
}

// SetUp makes the first account, an owner, and signs it in; it returns the token of the
// session. Errors are ErrSetUp, ErrLink, *FieldError, *password.BusyError and the store's.
func (b *Book) SetUp(ctx context.Context, f First) (token string, err error) {
	key := b.keyOf(f.Token)
	if err := b.db.View(func(tx *store.Tx) error { return mayBegin(tx, key) }); err != nil {
		b.log.Warn("the first account of the admin was refused", "from", f.From, "error", err)
		return "", err
	}
	r := &record{Role: "owner", Created: b.now().UTC()}
	if r.Name, err = checkName(f.Name); err == nil {
		r.Email, err = checkEmail(f.Email)
	}
	if err == nil {
		err = checkPassword("password", f.Password)
	}
	if err == nil {
		r.Hash, err = b.passwords.Hash(ctx, f.Password)
	}
	if err != nil {
		return "", err
	}
	id := auth.RandomText(idBytes)
	err = b.db.Update(func(tx *store.Tx) error {
		if err := mayBegin(tx, key); err != nil {
			return err
		}
		if err := r.put(tx, id); err != nil {
			return err
		}
		if err := dropLinks(tx); err != nil {
			return err
		}
		token, err = b.begin(tx, id)
		return err
	})
	if err == nil {
		b.log.Info("the first account of the admin was made", "account", id, "email", r.Email, "from", f.From)
	}
	return token, err
}

const idBytes = 8

// mayBegin refuses a first account where there is one, or without the right link.
func mayBegin(tx *store.Tx, key string) error {
	if n, err := tx.CountRecords(accountsBucket, ""); err != nil || n > 0 {
		return errors.Join(err, ErrSetUp)
	}
	value, err := tx.Record(linksBucket, key)
	if err == nil && value == nil {
		err = ErrLink
	}
	return err
}

// dropLinks removes all links: they were for the first account.
func dropLinks(tx *store.Tx) error {
	return tx.Records(linksBucket, func(key string, _ []byte) error { return tx.DeleteRecord(linksBucket, key) })
}
