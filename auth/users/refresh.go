package users

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"strings"
	"time"

	"quire/auth"
	"quire/content/body"
	"quire/store"
)

// DisabledError: the site does not offer this feature.
type DisabledError struct{}

func (*DisabledError) Error() string { return "Not Found" }

// CanRefresh fails with a *DisabledError if the site does not use refresh tokens.
func (a *Accounts) CanRefresh() error {
	if !a.settings.Refresh.Enabled {
		return &DisabledError{}
	}
	return nil
}

// Refresh prolongs a session: it takes a refresh token and returns the next one with a new
// JWT. A token that was issued and is not the latest of its family ends the session. Errors are
// *DisabledError, *body.ValidationError and *UnauthorizedError.
func (a *Accounts) Refresh(ctx context.Context, f *Form) (*Session, error) {
	if err := a.CanRefresh(); err != nil {
		return nil, err
	}
	if !f.has("refreshToken") {
		return nil, invalidError("Missing refresh token")
	}
	shown := f.text("refreshToken")
	if err := f.err(); err != nil {
		return nil, err
	}
	id, _, _ := strings.Cut(shown, ".")
	u, token, err := a.prolong(ctx, id, shown)
	if err != nil {
		return nil, err
	}
	a.remember(u, f)
	jwt, err := a.auth.SignJWT(u.ID, u.epoch, id, a.settings.Refresh.Access)
	return &Session{DocumentID: u.DocumentID, JWT: jwt, RefreshToken: token}, err
}

// prolong exchanges the latest refresh token of a session for the next one.
func (a *Accounts) prolong(ctx context.Context, id, shown string) (u *user, token string, err error) {
	b := &a.service.sessions
	err = b.withLock(id, func() error {
		s, ok := b.find(id)
		now := a.service.now()
		u = a.byDocument(a.index.Snapshot(), s.user)
		if !ok || u == nil || u.Blocked || a.unconfirmed(u) || u.epoch != s.epoch || !now.Before(s.ends) {
			return errRefresh
		}
		err := a.writer.Record(ctx, func(tx *store.Tx) (err error) {
			token, err = a.rotate(tx, id, shown, now)
			return err
		})
		if err == nil && token == "" {
			err = errRefresh
		}
		return err
	})
	return u, token, err
}

// rotate stores the next refresh token of a session. It removes the session if the given
// token is a former one, and does nothing if it never was one: who knows no more than the id
// of a session must not end it.
func (a *Accounts) rotate(tx *store.Tx, id, shown string, now time.Time) (token string, err error) {
	value, err := tx.Record(sessionsBucket, id)
	if err != nil || value == nil {
		return "", err
	}
	f := new(family)
	if err := json.Unmarshal(value, f); err != nil {
		return "", err
	}
	d := a.auth.Digest(shown)
	if subtle.ConstantTimeCompare(f.Hash, d[:]) != 1 {
		if !a.issuedRefresh(shown) {
			return "", nil
		}
		return "", tx.DeleteRecord(sessionsBucket, id)
	}
	f.Used = now.UTC()
	return a.putFamily(tx, id, f)
}

var errRefresh = &auth.UnauthorizedError{Message: "Invalid refresh token"}

// Logout ends sessions of a user: with refresh tokens only the session of the request,
// unless the form is {"scope": "all"}; without refresh tokens all.
func (a *Accounts) Logout(ctx context.Context, id auth.Identity, f *Form) error {
	if err := id.HasAccount(); err != nil {
		return err
	}
	scope := "session"
	if f.has("scope") {
		scope = f.text("scope")
	}
	if err := f.err(); err != nil {
		return err
	}
	if id.Session != "" && scope != "all" {
		return a.end(ctx, id.Session)
	}
	return a.update(ctx, id.User.DocumentID, values{"sessionEpoch": body.Text(newEpoch())})
}
