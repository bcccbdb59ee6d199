package users

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Register takes {"username", "email", "password"} and the fields that site.json allows,
// and creates a user with the role for new users. access is what the caller may do, for
// links in the form. Errors are *body.ValidationError, *body.KeyError,
// *content.ApplicationError and *BusyError.
func (a *Accounts) Register(ctx context.Context, f *Form, access schema.Access) (*Session, error) {
	role, err := a.checkRegistration(f)
	if err != nil {
		return nil, err
	}
	email, username := f.email("email"), f.text("username")
	f.text("password")
	if err := f.err(); err != nil {
		return nil, err
	}
	if a.nameTaken(a.index.Snapshot(), username, email) {
		return nil, errTaken
	}
	// The allowed attributes in the form, checked against what the caller may do.
	given := values{}
	for _, name := range slices.Concat([]string{"username", "password"}, a.settings.Register.Fields) {
		if v, ok := f.members[name]; ok {
			given[name] = v
		}
	}
	if _, err := body.DecodeValue(a.site, a.user, given.object(), access); err != nil {
		return nil, err
	}
	v := values{
		"email": body.Text(email), "provider": body.Text(local), "role": body.Text(role.DocumentID),
		"confirmed": body.Bool(!a.settings.Confirmation.Required), "blocked": body.Bool(false), "sessionEpoch": body.Text(newEpoch()),
	}
	maps.Copy(v, given)
	var beside func(*store.Tx) error
	if a.settings.Confirmation.Required {
		beside = a.putLetter(letter{Kind: confirmationLetter, To: email}, confirmationLifetime)
	}
	result, err := a.saveBeside(ctx, a.user, "", v, beside)
	if _, refused := takenAttribute(err); refused {
		err = errTaken
	}
	if err != nil {
		return nil, err
	}
	u := a.byDocument(result.Snapshot, result.DocumentID)
	if u == nil {
		return nil, fmt.Errorf("user %s was registered and cannot be read back", result.DocumentID)
	}
	if !a.unconfirmed(u) {
		a.remember(u, f)
	}
	return a.session(ctx, u)
}

var (
	errTaken  = &content.ApplicationError{Message: "Email or Username are already taken"}
	errNoRole = &content.ApplicationError{Message: "Impossible to find the default role"}
)

// CanRegister fails with a *content.ApplicationError if nobody can register.
func (a *Accounts) CanRegister() error {
	if !a.settings.Register.Enabled {
		return &content.ApplicationError{Message: "Register action is currently disabled"}
	}
	return nil
}

// checkRegistration checks that people can register and that the form has only allowed
// fields. It returns the role of the new user.
func (a *Accounts) checkRegistration(f *Form) (*auth.Role, error) {
	r := &a.settings.Register
	if err := a.CanRegister(); err != nil {
		return nil, err
	}
	if others := f.others(append([]string{"username", "email", "password"}, r.Fields...)...); others != nil {
		return nil, invalidError("Invalid parameters: " + strings.Join(others, ", "))
	}
	role := a.auth.Role(r.Role)
	if role == nil {
		a.service.log.Error("nobody can register: no role has the type that auth.register.role in site.json names", "type", r.Role)
		return nil, errNoRole
	}
	return role, nil
}

// nameTaken reports whether another user has one of the names. A username must also differ
// from other users' mail addresses, and a mail address from their usernames.
func (a *Accounts) nameTaken(s *index.Snapshot, username, email string) bool {
	for _, name := range []string{username, email} {
		if a.byText(s, "email", strings.ToLower(name)) != nil || a.byText(s, "username", name) != nil {
			return true
		}
	}
	return false
}
