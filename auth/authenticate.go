package auth

import "fmt"

// Identity is who is calling: what the caller may do and, where a user has
// signed in, which one it is.
type Identity struct {
	Caller *Caller
	User   *User // nil for API tokens and for callers without a credential

	session string // where refresh tokens are used
}

// String names who is calling for logs.
func (i Identity) String() string {
	if i.User == nil {
		return i.Caller.String()
	}
	return fmt.Sprintf("user %d, %s", i.User.ID, i.Caller)
}

// errNoUser answers requests about the caller's own account from one who has none.
var errNoUser = &UnauthorizedError{"Unauthorized"}

// Authenticate returns whom a bearer credential stands for: an API token or a
// JWT. One that is unknown, expired or of a session that has ended is an
// *UnauthorizedError; it never falls back to the public role.
func (a *Accounts) Authenticate(bearer string) (Identity, error) {
	if isToken(bearer) {
		caller, err := a.auth.byToken(bearer)
		return Identity{Caller: caller}, err
	}
	c, ok := a.auth.verify(bearer)
	if !ok {
		return Identity{}, &UnauthorizedError{}
	}
	u := a.byID(a.index.Snapshot(), c.ID)
	if u == nil || u.Blocked || u.epoch != c.Epoch || c.Session != "" && !a.auth.sessions.alive(c.Session, u) {
		return Identity{}, &UnauthorizedError{"Invalid credentials"}
	}
	return Identity{a.auth.ofUser(u.Role), u, c.Session}, nil
}
