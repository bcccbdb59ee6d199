package people

import (
	"context"
	"errors"
	"fmt"

	"quire/store"
)

// Changes that an account makes to itself, with any role.

// Profile has the personal settings of an account; nil leaves a value unchanged.
type Profile struct {
	Name     *string `json:"name"`
	Language *string `json:"language"` // for example "de"; empty for the language of the browser
}

const longestLanguage = 20

// SetProfile changes the personal settings of an account. Errors are *FieldError,
// ErrNoSession and the store's.
func (b *Directory) SetProfile(ctx context.Context, s *Session, p Profile) (*Account, error) {
	var name string
	if p.Name != nil {
		var err error
		if name, err = checkName(*p.Name); err != nil {
			return nil, err
		}
	}
	if p.Language != nil && !isLanguage(*p.Language) {
		return nil, &FieldError{"language", fmt.Sprintf("A language is a tag such as de or pt-BR, of at most %d characters", longestLanguage)}
	}
	err := b.changeOwn(s, func(tx *store.Tx, r *record) error {
		if p.Name != nil {
			r.Name = name
		}
		if p.Language != nil {
			r.Language = *p.Language
		}
		return noteOwn(ctx, tx, "account.profile", s.Account.ID, r.Email, nil)
	})
	return b.ByID(s.Account.ID), err
}

func isLanguage(tag string) bool {
	for _, c := range []byte(tag) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return len(tag) <= longestLanguage
}

// changeOwn changes the record of an account whose session has not ended.
func (b *Directory) changeOwn(s *Session, fn func(tx *store.Tx, r *record) error) error {
	return b.db.Update(func(tx *store.Tx) error {
		r, err := recordOf(tx, s.Account.ID)
		if err != nil {
			return err
		}
		if err := fn(tx, r); err != nil {
			return err
		}
		return r.put(tx, s.Account.ID)
	})
}

// recordOf reads the record of an account that has signed in. The error is ErrNoSession if
// the account was removed, or the store's.
func recordOf(tx *store.Tx, id string) (*record, error) {
	value, err := tx.Record(accountsBucket, id)
	if err != nil {
		return nil, err
	}
	r, err := readRecord(value)
	if err != nil {
		return nil, ErrNoSession
	}
	return r, nil
}

// PasswordForm has a new password and the current one.
type PasswordForm struct {
	Current  string `json:"current"`
	Password string `json:"password"`
}

// ChangePassword changes the password of an account that has signed in. Its other sessions,
// its links and its assistants end. Errors are *FieldError, *auth.ThrottledError, *password.BusyError,
// ErrNoSession and the store's.
func (b *Directory) ChangePassword(ctx context.Context, s *Session, f PasswordForm) error {
	id, former := s.Account.ID, s.Account.record.Hash
	if b.closed(ByPassword) {
		return errNoPasswords
	}
	if err := checkPassword("password", f.Password); err != nil {
		return err
	}
	if err := b.checkOwnPassword(ctx, s, "current", f.Current); err != nil {
		return err
	}
	hash, err := b.passwords.Hash(ctx, f.Password)
	if err != nil {
		return err
	}
	return b.changeOwn(s, func(tx *store.Tx, r *record) error {
		if r.Hash != former {
			return ErrNoSession // it was changed meanwhile, which has ended this session
		}
		r.Hash = hash
		if err := endAccess(tx, id, s.session.key); err != nil {
			return err
		}
		return errors.Join(dropLinks(tx, id), noteOwn(ctx, tx, "account.password", id, r.Email, nil))
	})
}

// checkOwnPassword checks the password of somebody who has signed in; an account without a
// password must have signed in recently instead. key is that of the form. Errors are
// *FieldError, *auth.ThrottledError and *password.BusyError.
func (b *Directory) checkOwnPassword(ctx context.Context, s *Session, key, password string) error {
	const action = "change of a password in the admin"
	id := s.Account.ID
	if !s.Account.Active {
		return s.checkFresh(b.now(), key)
	}
	if err := b.tries.TryAccount(action, id); err != nil {
		return err
	}
	ok, err := b.passwords.Matches(ctx, s.Account.record.Hash, password, false)
	switch {
	case err != nil:
		return err
	case !ok:
		return b.refuse(ctx, "account.password", s.Account, &FieldError{key, "This is not your password"})
	}
	b.tries.TakeBack(action, id)
	return nil
}
