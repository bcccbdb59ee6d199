package auth

import (
	"fmt"
	"time"

	"quire/schema"
	"quire/store"
)

// Identity is who is calling: what the caller may do and, if a user has signed in, which
// user.
type Identity struct {
	Caller *Caller
	User   *User // nil for API tokens and for callers without a credential

	Session string // its id, if refresh tokens are used
	epoch   string // of the user's sessions

	Expires time.Time // of the credential; the zero time for never
}

// User is the part of an account that decides what its caller may do.
type User struct {
	ID         uint64
	DocumentID string
	Role       string // documentId; empty for none
}

// Accounts is what Auth needs from the accounts of the site. Package account implements it.
type Accounts interface {
	// SignedIn returns the user with that numeric id and epoch. It returns nil if there is
	// none, if the account is blocked or not confirmed, and if session is neither empty nor
	// the id of a session that has not ended.
	SignedIn(id uint64, epoch, session string) *User
}

// String identifies the caller in logs.
func (i Identity) String() string {
	if i.User == nil {
		return i.Caller.String()
	}
	return fmt.Sprintf("user %d, %s", i.User.ID, i.Caller)
}

// Actor returns the caller as the author of a write.
func (i Identity) Actor() store.Actor {
	if i.User != nil {
		return store.ActorOf(store.ByUser, i.User.DocumentID)
	}
	return i.Caller.actor
}

// ErrNoAccount refuses requests about the caller's own account from a caller without one.
var ErrNoAccount = &UnauthorizedError{"Unauthorized"}

// HasAccount fails with an *UnauthorizedError for a caller without an account.
func (i Identity) HasAccount() error {
	if i.User == nil {
		return ErrNoAccount
	}
	return nil
}

// Authenticate returns the identity for a bearer credential, which is an API token or a
// JWT. A credential that is unknown, expired or of a session that has ended is an
// *UnauthorizedError: it never falls back to the public role.
func (a *Auth) Authenticate(bearer string, accounts Accounts) (Identity, error) {
	if isToken(bearer) {
		return a.byToken(bearer)
	}
	c, ok := a.verify(bearer)
	if !ok {
		return Identity{}, &UnauthorizedError{}
	}
	u := accounts.SignedIn(c.ID, c.Epoch, c.Session)
	if u == nil {
		return Identity{}, &UnauthorizedError{"Invalid credentials"}
	}
	return Identity{a.ofUser(u.Role), u, c.Session, c.Epoch, c.ExpiresAt.Time}, nil
}

// Expired reports whether the credential of an identity has expired.
func (a *Auth) Expired(i Identity) bool { return !i.Expires.IsZero() && !a.now().Before(i.Expires) }

// Decides reports whether a commit may change who a caller is or what anybody may do,
// except for sessions. Code that uses an identity for longer than a request authenticates
// again after such a commit.
func Decides(c store.Commit) bool {
	for _, change := range c.Changes {
		if change.Type == schema.UserUID || change.Type == schema.RoleUID {
			return true
		}
	}
	return c.RecordsOf(tokensBucket) != nil || c.RecordsOf(secretsBucket) != nil
}
