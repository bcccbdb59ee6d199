package auth

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"quire/content"
	"quire/schema"
)

// secretAttributes are those of users that nobody sets from outside.
var secretAttributes = []string{"resetPasswordToken", "confirmationToken", "sessionEpoch"}

// Find returns the documentId of the user whom a path names: by numeric id, as
// in the reference, or by documentId. It is empty when there is none.
func (a *Accounts) Find(name string) string {
	s := a.index.Snapshot()
	var u *User
	if id, err := strconv.ParseUint(name, 10, 64); err == nil {
		u = a.byID(s, id)
	}
	if u == nil {
		u = a.byDocument(s, name)
	}
	if u == nil {
		return ""
	}
	return u.DocumentID
}

// CreateUser makes a user from a form: username, email, password and role are
// required; keys that are no attribute are ignored, as in the reference. access
// is what the caller may do. It returns the documentId. Errors are
// *content.ValidationError, *content.KeyError, *content.ApplicationError and
// *BusyError.
func (a *Accounts) CreateUser(ctx context.Context, f *Form, access schema.Access) (documentID string, err error) {
	own := values{"email": f.email("email"), "sessionEpoch": newEpoch()}
	f.text("username")
	f.text("password")
	if !f.has("role") {
		f.refuse("role", "role is a required field")
	}
	if err := f.err(); err != nil {
		return "", err
	}
	if !f.has("provider") {
		own["provider"] = local
	}
	return a.put(ctx, "", f, own, access)
}

// UpdateUser changes a user by a form. A new password ends the user's sessions,
// and so does being blocked. Errors are those of CreateUser, and
// *content.NotFoundError.
func (a *Accounts) UpdateUser(ctx context.Context, documentID string, f *Form, access schema.Access) error {
	own := values{}
	if f.has("email") {
		own["email"] = f.email("email")
	}
	if err := f.err(); err != nil {
		return err
	}
	if f.names("password") || string(f.members["blocked"]) == "true" {
		own["sessionEpoch"] = newEpoch()
	}
	if f.names("password") || f.names("email") {
		own["resetPasswordToken"] = nil
	}
	return a.alone(documentID, func(u *User) error {
		if u == nil {
			return &content.NotFoundError{Type: schema.UserUID, DocumentID: documentID}
		}
		_, err := a.put(ctx, documentID, f, own, access)
		return err
	})
}

// put writes what a form says of a user, and what follows from it.
func (a *Accounts) put(ctx context.Context, documentID string, f *Form, own values, access schema.Access) (string, error) {
	data, err := a.attributes(f, own)
	if err != nil {
		return "", err
	}
	result, err := a.write(ctx, a.user, documentID, data, access)
	switch attribute, refused := taken(err); {
	case refused && attribute == "username":
		err = &content.ApplicationError{Message: "Username already taken"}
	case refused && attribute == "email":
		err = &content.ApplicationError{Message: "Email already taken"}
	}
	return result.DocumentID, err
}

// attributes are the members of a form that are attributes of users, with others
// over them.
func (a *Accounts) attributes(f *Form, own values) (json.RawMessage, error) {
	v := values{}
	for name, raw := range f.members {
		if slices.Contains(secretAttributes, name) {
			return nil, &content.KeyError{Key: name, Path: name, Fault: content.ReservedKey}
		}
		if t := a.user.Attribute(name); t != nil && t.System == schema.NotSystem {
			v[name] = raw
		}
	}
	maps.Copy(v, own)
	return json.Marshal(v)
}

// DeleteUser deletes a user. The sessions of the user end with it.
func (a *Accounts) DeleteUser(ctx context.Context, documentID string) error {
	return a.alone(documentID, func(*User) error {
		return a.writer.Delete(ctx, content.Request{Type: a.user, DocumentID: documentID})
	})
}
