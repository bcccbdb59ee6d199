package users

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quire/auth"
	"quire/content/body"
)

// Operators manage tokens, users and roles with commands. Each has a name, takes one JSON
// value and returns another, so that it can run in this process or in the one that has the
// data file open.

// UserRef names a user, by mail address, username, id or documentId. Role is for the
// command that sets it.
type UserRef struct {
	User string `json:"user"`
	Role string `json:"role,omitempty"`
}

// NewUser describes a user to create. Without a password, nobody can sign in until a
// password has been chosen through a reset link.
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

// ResetLink is a link with which its holder may choose a new password.
type ResetLink struct {
	Code string `json:"code"`
	Link string `json:"link"` // only the code if site.json has no auth.reset.url
}

// none is the argument or result of commands that have none.
type none struct{}

type command func(ctx context.Context, args json.RawMessage) (any, error)

// Do runs a command by its name in commands: "token create". args and the result are JSON:
// {} for a command without arguments or result. Errors are *auth.NoSuchError for a command
// that does not exist, and those of the command.
func (a *Accounts) Do(ctx context.Context, name string, args json.RawMessage) (any, error) {
	do, ok := a.commands()[name]
	if !ok {
		return nil, &auth.NoSuchError{Kind: "command", Name: name}
	}
	return do(ctx, args)
}

func (a *Accounts) commands() map[string]command {
	return map[string]command{
		"token create":    commandOf(a.auth.CreateToken),
		"token list":      commandOf(func(context.Context, none) ([]auth.TokenInfo, error) { return a.auth.Tokens() }),
		"token revoke":    commandOf(func(ctx context.Context, name string) (none, error) { return none{}, a.auth.RevokeToken(ctx, name) }),
		"user create":     commandOf(a.createUser),
		"user list":       commandOf(a.listUsers),
		"user block":      commandOf(a.changeCommand(values{"blocked": body.Bool(true)})),
		"user unblock":    commandOf(a.changeCommand(values{"blocked": body.Bool(false)})),
		"user sign-out":   commandOf(a.changeCommand(values{})),
		"user set-role":   commandOf(a.setRole),
		"user reset-link": commandOf(a.resetLink),
		"user delete":     commandOf(a.deleteUser),
		"sign-out all":    commandOf(func(ctx context.Context, _ none) (none, error) { return none{}, a.auth.ReplaceSecret(ctx) }),
		"role list":       commandOf(func(context.Context, none) ([]RoleInfo, error) { return a.listRoles(), nil }),
		"role show":       commandOf(a.showRole),
	}
}

// commandOf turns a function of one value into a command.
func commandOf[A, R any](fn func(context.Context, A) (R, error)) command {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("the arguments of the command cannot be read: %w", err)
		}
		return fn(ctx, args)
	}
}

func (a *Accounts) createUser(ctx context.Context, n NewUser) (UserInfo, error) {
	role := a.auth.Role(n.Role)
	if role == nil {
		return UserInfo{}, &auth.NoSuchError{Kind: "role", Name: n.Role}
	}
	own := values{
		"username": body.Text(n.Username), "email": body.Text(strings.ToLower(n.Email)), "provider": body.Text(local),
		"confirmed": body.Bool(true), "role": body.Text(role.DocumentID), "sessionEpoch": body.Text(newEpoch()),
	}
	if n.Password != "" {
		own["password"] = body.Text(n.Password)
	}
	if a.nameTaken(a.index.Snapshot(), n.Username, n.Email) {
		return UserInfo{}, errTaken
	}
	documentID, err := a.writeForm(ctx, "", &Form{}, own, nil)
	if err != nil {
		return UserInfo{}, err
	}
	return a.info(a.byDocument(a.index.Snapshot(), documentID)), nil
}

func (a *Accounts) info(u *user) UserInfo {
	i := UserInfo{ID: u.ID, DocumentID: u.DocumentID, Username: u.Username, Email: u.Email, Confirmed: u.Confirmed, Blocked: u.Blocked}
	if r := a.auth.RoleByID(u.Role); r != nil {
		i.Role = r.Type
	}
	return i
}

func (a *Accounts) listUsers(context.Context, none) ([]UserInfo, error) {
	list := []UserInfo{}
	for e := range a.lookup(a.index.Snapshot()).All() {
		list = append(list, a.info(readUser(e, true)))
	}
	return list, nil
}

// resolveUser returns the user that a command names.
func (a *Accounts) resolveUser(name string) (*user, error) {
	s := a.index.Snapshot()
	u := a.byIdentifier(s, name)
	if u == nil {
		u = a.byDocument(s, a.Find(name))
	}
	if u == nil {
		return nil, &auth.NoSuchError{Kind: "user", Name: name}
	}
	return u, nil
}

// changeCommand returns a command that writes fixed values of a user and ends the user's
// sessions.
func (a *Accounts) changeCommand(same values) func(context.Context, UserRef) (UserInfo, error) {
	return func(ctx context.Context, ref UserRef) (UserInfo, error) {
		v := values{"sessionEpoch": body.Text(newEpoch())}
		maps.Copy(v, same)
		return a.change(ctx, ref.User, v)
	}
}

func (a *Accounts) change(ctx context.Context, name string, v values) (info UserInfo, err error) {
	u, err := a.resolveUser(name)
	if err != nil {
		return info, err
	}
	err = a.withUserLock(u.DocumentID, func(*user) error { return a.update(ctx, u.DocumentID, v) })
	if now := a.byDocument(a.index.Snapshot(), u.DocumentID); now != nil {
		info = a.info(now)
	}
	return info, err
}

func (a *Accounts) setRole(ctx context.Context, ref UserRef) (UserInfo, error) {
	role := a.auth.Role(ref.Role)
	if role == nil {
		return UserInfo{}, &auth.NoSuchError{Kind: "role", Name: ref.Role}
	}
	return a.change(ctx, ref.User, values{"role": body.Text(role.DocumentID)})
}

func (a *Accounts) resetLink(ctx context.Context, ref UserRef) (l ResetLink, err error) {
	u, err := a.resolveUser(ref.User)
	if err != nil {
		return l, err
	}
	l.Code, err = a.resetCode(ctx, u)
	l.Link = pageWithCode(a.settings.ResetURL, "code", l.Code)
	return l, err
}

func (a *Accounts) deleteUser(ctx context.Context, ref UserRef) (UserInfo, error) {
	u, err := a.resolveUser(ref.User)
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
	return RoleInfo{}, &auth.NoSuchError{Kind: "role", Name: kind}
}
