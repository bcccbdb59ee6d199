package auth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"strings"

	"quire/store"
)

// DisabledError says that the site does not offer what was asked for.
type DisabledError struct{}

func (*DisabledError) Error() string { return "Not Found" }

// Refresh prolongs a session: it takes a refresh token and returns the next one
// with a new JWT. A token that is not the family's latest ends the session. Errors
// are *DisabledError, *content.ValidationError and *UnauthorizedError.
func (a *Accounts) Refresh(ctx context.Context, f *Form) (*Session, error) {
	if !a.settings.Refresh.Enabled {
		return nil, &DisabledError{}
	}
	if !f.has("refreshToken") {
		return nil, invalid("Missing refresh token")
	}
	shown := f.text("refreshToken")
	if err := f.err(); err != nil {
		return nil, err
	}
	id, _, _ := strings.Cut(shown, ".")
	u, token, err := a.prolong(id, shown)
	if err != nil {
		return nil, err
	}
	jwt, err := a.auth.sign(u, id, a.settings.Refresh.Access)
	return &Session{DocumentID: u.DocumentID, JWT: jwt, RefreshToken: token}, err
}

// prolong takes the latest refresh token of a session and returns the next.
func (a *Accounts) prolong(id, shown string) (u *User, token string, err error) {
	b := &a.auth.sessions
	b.changing.Lock()
	defer b.changing.Unlock()
	s, ok := b.find(id)
	now := a.auth.now()
	u = a.byDocument(a.index.Snapshot(), s.user)
	if !ok || u == nil || u.Blocked || u.epoch != s.epoch || !now.Before(s.ends) {
		return nil, "", errRefresh
	}
	f := new(family)
	err = a.auth.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(sessionsBucket, id)
		if err != nil || value == nil {
			return err
		}
		if err := json.Unmarshal(value, f); err != nil {
			return err
		}
		d := hash(a.auth.key, shown)
		if subtle.ConstantTimeCompare(f.Hash, d[:]) != 1 {
			return tx.DeleteRecord(sessionsBucket, id)
		}
		f.Used = now.UTC()
		token, err = f.put(tx, a.auth.key, id)
		return err
	})
	switch {
	case err != nil:
		return nil, "", err
	case token == "":
		b.drop(id)
		return nil, "", errRefresh
	}
	b.set(id, session{f.User, f.Epoch, f.ends(&a.settings.Refresh)})
	return u, token, nil
}

var errRefresh = &UnauthorizedError{"Invalid refresh token"}

// Logout ends the sessions of a user: with refresh tokens the one that the
// request is part of, unless the form says {"scope": "all"}; without them all.
func (a *Accounts) Logout(ctx context.Context, id Identity, f *Form) error {
	if id.User == nil {
		return errNoUser
	}
	scope := "session"
	if f.has("scope") {
		scope = f.text("scope")
	}
	if err := f.err(); err != nil {
		return err
	}
	if id.session != "" && scope != "all" {
		return a.auth.sessions.end(a.auth.db, id.session)
	}
	return a.update(ctx, id.User, values{"sessionEpoch": newEpoch()})
}
