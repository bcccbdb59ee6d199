package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quire/index"
	"quire/store"
)

// An operator manages tokens, users and roles by commands. Each has a name, takes
// one JSON value and returns another, so that it can be done in this process or
// asked of the one that has the data file.

// UserRef names a user, by mail address, username, id or documentId. Role is
// for the command that gives one.
type UserRef struct {
	User string `json:"user"`
	Role string `json:"role,omitempty"`
}

// NewUser describes a user to be made. Without a password nobody can sign in
// until one has been chosen through a reset link.
type NewUser struct {
	Username string `json:"username"`
	Email    string `json:"email"`
	Role     string `json:"role"` // its type
	Password string `json:"password,omitempty"`
}

// UserInfo is a user as commands show it.
type UserInfo struct {
	ID         uint64 `json:"id"`
	DocumentID string `json:"documentId"`
	Username   string `json:"username"`
	Email      string `json:"email"`
	Role       string `json:"role"` // its type; empty for none
	Confirmed  bool   `json:"confirmed"`
	Blocked    bool   `json:"blocked"`
}

// RoleInfo is a role as commands show it.
type RoleInfo struct {
	DocumentID  string   `json:"documentId"`
	Type        string   `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	InSite      bool     `json:"inSite"` // set in site.json
	Users       int      `json:"users"`
	Permissions []string `json:"permissions"`
}

// ResetLink is the way to a new password.
type ResetLink struct {
	Code string `json:"code"`
	Link string `json:"link"` // the code alone where site.json has no auth.reset.url
}

// none is what commands take and return that have nothing to say.
type none struct{}

type command func(ctx context.Context, args json.RawMessage) (any, error)

// Do carries out a command.
func (a *Accounts) Do(ctx context.Context, name string, args json.RawMessage) (any, error) {
	do, ok := a.commands()[name]
	if !ok {
		return nil, &NoSuchError{"command", name}
	}
	return do(ctx, args)
}

func (a *Accounts) commands() map[string]command {
	return map[string]command{
		"token create":    taking(func(_ context.Context, s TokenSpec) (string, error) { return a.auth.CreateToken(s) }),
		"token list":      taking(func(context.Context, none) ([]TokenInfo, error) { return a.auth.Tokens() }),
		"token revoke":    taking(func(_ context.Context, name string) (none, error) { return none{}, a.auth.RevokeToken(name) }),
		"user create":     taking(a.createUser),
		"user list":       taking(a.listUsers),
		"user block":      taking(a.changing(values{"blocked": true})),
		"user unblock":    taking(a.changing(values{"blocked": false})),
		"user sign-out":   taking(a.changing(values{})),
		"user set-role":   taking(a.setRole),
		"user reset-link": taking(a.resetLink),
		"user delete":     taking(a.deleteUser),
		"sign-out all":    taking(func(context.Context, none) (none, error) { return none{}, a.auth.changeSecret() }),
		"role list":       taking(func(context.Context, none) ([]RoleInfo, error) { return a.listRoles(), nil }),
		"role show":       taking(a.showRole),
	}
}

// taking makes a command of a function that takes one value.
func taking[A, R any](fn func(context.Context, A) (R, error)) command {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("what the command was given cannot be read: %w", err)
		}
		return fn(ctx, args)
	}
}

func (a *Accounts) createUser(ctx context.Context, n NewUser) (UserInfo, error) {
	role := a.auth.Role(n.Role)
	if role == nil {
		return UserInfo{}, &NoSuchError{"role", n.Role}
	}
	own := values{
		"username": n.Username, "email": strings.ToLower(n.Email), "provider": local, "confirmed": true,
		"role": role.DocumentID, "sessionEpoch": newEpoch(),
	}
	if n.Password != "" {
		own["password"] = n.Password
	}
	if a.claimed(a.index.Snapshot(), n.Username, n.Email) {
		return UserInfo{}, errTaken
	}
	documentID, err := a.put(ctx, "", &Form{}, own, nil)
	if err != nil {
		return UserInfo{}, err
	}
	return a.info(a.byDocument(a.index.Snapshot(), documentID)), nil
}

func (a *Accounts) info(u *User) UserInfo {
	i := UserInfo{ID: u.ID, DocumentID: u.DocumentID, Username: u.Username, Email: u.Email, Confirmed: u.Confirmed, Blocked: u.Blocked}
	if r := a.auth.RoleByID(u.Role); r != nil {
		i.Role = r.Type
	}
	return i
}

func (a *Accounts) listUsers(context.Context, none) ([]UserInfo, error) {
	list := []UserInfo{}
	s := a.index.Snapshot()
	s.Table(a.user, store.Published).Live().Each(func(r index.Row) bool {
		list = append(list, a.info(a.read(s, r)))
		return true
	})
	return list, nil
}

// named returns the user that a command means.
func (a *Accounts) named(name string) (*User, error) {
	s := a.index.Snapshot()
	u := a.byIdentifier(s, name)
	if u == nil {
		u = a.byDocument(s, a.Find(name))
	}
	if u == nil {
		return nil, &NoSuchError{"user", name}
	}
	return u, nil
}

// changing writes the same of each user, and ends the user's sessions.
func (a *Accounts) changing(same values) func(context.Context, UserRef) (UserInfo, error) {
	return func(ctx context.Context, ref UserRef) (UserInfo, error) {
		v := values{"sessionEpoch": newEpoch()}
		maps.Copy(v, same)
		return a.change(ctx, ref.User, v)
	}
}

func (a *Accounts) change(ctx context.Context, name string, v values) (info UserInfo, err error) {
	u, err := a.named(name)
	if err != nil {
		return info, err
	}
	err = a.alone(u.DocumentID, func(*User) error { return a.update(ctx, u, v) })
	if now := a.byDocument(a.index.Snapshot(), u.DocumentID); now != nil {
		info = a.info(now)
	}
	return info, err
}

func (a *Accounts) setRole(ctx context.Context, ref UserRef) (UserInfo, error) {
	role := a.auth.Role(ref.Role)
	if role == nil {
		return UserInfo{}, &NoSuchError{"role", ref.Role}
	}
	return a.change(ctx, ref.User, values{"role": role.DocumentID})
}

func (a *Accounts) resetLink(ctx context.Context, ref UserRef) (l ResetLink, err error) {
	u, err := a.named(ref.User)
	if err != nil {
		return l, err
	}
	l.Code, err = a.resetCode(ctx, u)
	l.Link = link(a.settings.ResetURL, "code", l.Code)
	return l, err
}

func (a *Accounts) deleteUser(ctx context.Context, ref UserRef) (UserInfo, error) {
	u, err := a.named(ref.User)
	if err != nil {
		return UserInfo{}, err
	}
	return a.info(u), a.DeleteUser(ctx, u.DocumentID)
}

func (a *Accounts) listRoles() []RoleInfo {
	list := []RoleInfo{}
	for _, r := range a.auth.Roles() {
		list = append(list, RoleInfo{r.DocumentID, r.Type, r.Name, r.Description, r.InSite, a.CountUsers(r), r.Permissions()})
	}
	slices.SortFunc(list, func(a, b RoleInfo) int { return strings.Compare(a.Type, b.Type) })
	return list
}

func (a *Accounts) showRole(_ context.Context, kind string) (RoleInfo, error) {
	for _, r := range a.listRoles() {
		if r.Type == kind {
			return r, nil
		}
	}
	return RoleInfo{}, &NoSuchError{"role", kind}
}
