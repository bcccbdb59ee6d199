package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"quire/content"
	"quire/index"
	"quire/schema"
)

// Register takes {"username", "email", "password"} and what site.json allows
// beside them, and makes a user with the role for new ones. access is what the
// caller may do, for links that the form gives. Errors are
// *content.ValidationError, *content.KeyError, *content.ApplicationError,
// *ThrottledError and *BusyError.
func (a *Accounts) Register(ctx context.Context, f *Form, access schema.Access) (*Session, error) {
	role, err := a.mayRegister(f)
	if err != nil {
		return nil, err
	}
	email, username := f.email("email"), f.text("username")
	f.text("password")
	if err := f.err(); err != nil {
		return nil, err
	}
	if err := a.auth.throttle.account("register", email); err != nil {
		return nil, err
	}
	if a.claimed(a.index.Snapshot(), username, email) {
		return nil, errTaken
	}
	u, err := a.newcomer(ctx, f, email, role, access)
	if err != nil {
		return nil, err
	}
	if a.unconfirmed(u) && !a.auth.jobs.try(func(ctx context.Context) error { return a.askToConfirm(ctx, email) }) {
		a.auth.log.Error("too much is going on: somebody who registered got no mail to confirm the address", "user", u.ID)
	}
	return a.session(u)
}

var errTaken = &content.ApplicationError{Message: "Email or Username are already taken"}

// mayRegister checks whether there is registering and what the form asks for.
func (a *Accounts) mayRegister(f *Form) (*Role, error) {
	r := &a.settings.Register
	if !r.Enabled {
		return nil, &content.ApplicationError{Message: "Register action is currently disabled"}
	}
	if others := f.others(append([]string{"username", "email", "password"}, r.Fields...)...); others != nil {
		return nil, invalid("Invalid parameters: " + strings.Join(others, ", "))
	}
	role := a.auth.Role(r.Role)
	if role == nil {
		a.auth.log.Error("nobody can register: there is no role of the type that auth.register.role of site.json names", "type", r.Role)
		return nil, &content.ApplicationError{Message: "Impossible to find the default role"}
	}
	return role, nil
}

// claimed reports whether somebody goes by one of the names already. A username
// must not be another's mail address either, nor the other way round.
func (a *Accounts) claimed(s *index.Snapshot, username, email string) bool {
	for _, name := range []string{username, email} {
		if a.byText(s, "email", strings.ToLower(name)) != nil || a.byText(s, "username", name) != nil {
			return true
		}
	}
	return false
}

// newcomer makes the user of a form.
func (a *Accounts) newcomer(ctx context.Context, f *Form, email string, role *Role, access schema.Access) (*User, error) {
	given, err := a.allowed(f, access)
	if err != nil {
		return nil, err
	}
	v := values{
		"email": email, "provider": local, "confirmed": !a.settings.Confirmation.Required, "blocked": false,
		"role": role.DocumentID, "sessionEpoch": newEpoch(),
	}
	for name, raw := range given {
		v[name] = raw
	}
	result, err := a.save(ctx, a.user, "", v)
	if _, refused := taken(err); refused {
		err = errTaken
	}
	if err != nil {
		return nil, err
	}
	made := a.byDocument(result.Snapshot, result.DocumentID)
	if made == nil {
		return nil, fmt.Errorf("user %s was registered and cannot be read back", result.DocumentID)
	}
	return made, nil
}

// allowed returns what the form gives of the user, checked against the rights of
// the caller.
func (a *Accounts) allowed(f *Form, access schema.Access) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	for _, name := range slices.Concat([]string{"username", "password"}, a.settings.Register.Fields) {
		if raw, ok := f.members[name]; ok {
			given[name] = raw
		}
	}
	data, err := json.Marshal(given)
	if err == nil {
		_, err = content.Decode(a.site, a.user, data, access)
	}
	return given, err
}
