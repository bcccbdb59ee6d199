package users

import (
	"context"
	"maps"
	"strconv"

	"quire/content"
	"quire/content/body"
	"quire/schema"
)

// Find returns the documentId of the user with that numeric id, as in Strapi, or
// documentId. It is empty if there is none.
func (a *Accounts) Find(name string) string {
	s := a.index.Snapshot()
	var u *user
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

// CreateUser creates a user from a form: username, email, password and role are required;
// keys that are not attributes are ignored, as in Strapi. access is what the caller may do.
// It returns the documentId. Errors are *body.ValidationError, *body.KeyError,
// *content.ApplicationError and *BusyError.
func (a *Accounts) CreateUser(ctx context.Context, f *Form, access schema.Access) (documentID string, err error) {
	f = f.known(a.user, access)
	own := values{"email": body.Text(f.email("email")), "sessionEpoch": body.Text(newEpoch())}
	f.text("username")
	f.text("password")
	if !f.has("role") {
		f.refuse("role", "role is a required field")
	}
	if err := f.err(); err != nil {
		return "", err
	}
	if !f.has("provider") {
		own["provider"] = body.Text(local)
	}
	return a.writeForm(ctx, "", f, own, access)
}

// UpdateUser changes a user by a form. If it blocks the user, the writer ends the user's
// sessions. Errors are those of CreateUser, and *content.NotFoundError.
func (a *Accounts) UpdateUser(ctx context.Context, documentID string, f *Form, access schema.Access) error {
	f = f.known(a.user, access)
	own := values{}
	if f.has("email") {
		own["email"] = body.Text(f.email("email"))
	}
	if err := f.err(); err != nil {
		return err
	}
	return a.withUserLock(documentID, func(u *user) error {
		if u == nil {
			return &content.NotFoundError{Type: schema.UserUID, DocumentID: documentID}
		}
		_, err := a.writeForm(ctx, documentID, f, own, access)
		return err
	})
}

// writeForm writes the values in a form about a user, and their effects.
func (a *Accounts) writeForm(ctx context.Context, documentID string, f *Form, own values, access schema.Access) (string, error) {
	// The members of a form that are attributes of users, overridden by own.
	v := values{}
	for name, given := range f.members {
		switch t := a.user.Attribute(name); {
		case t == nil || t.System != schema.NotSystem:
		case t.Reserved():
			return "", &body.KeyError{Key: name, Path: name, Fault: body.ReservedKey}
		default:
			v[name] = given
		}
	}
	maps.Copy(v, own)
	result, err := a.write(ctx, content.Request{Type: a.user, DocumentID: documentID}, v, access)
	switch attribute, refused := takenAttribute(err); {
	case refused && attribute == "username":
		err = &content.ApplicationError{Message: "Username already taken"}
	case refused && attribute == "email":
		err = &content.ApplicationError{Message: "Email already taken"}
	}
	return result.DocumentID, err
}

// known returns the form without attributes that the caller may not know: like keys that
// are not attributes, they are ignored.
func (f *Form) known(user *schema.Type, access schema.Access) *Form {
	if access == nil {
		return f
	}
	left, sight := *f, access.Sight(user)
	left.members = maps.Clone(f.members)
	maps.DeleteFunc(left.members, func(name string, _ body.Value) bool {
		t := user.Attribute(name)
		return t != nil && !sight.Knows(t)
	})
	return &left
}

// DeleteUser deletes a user. The user's sessions end.
func (a *Accounts) DeleteUser(ctx context.Context, documentID string) error {
	return a.withUserLock(documentID, func(*user) error {
		return a.writer.Delete(ctx, content.Request{Type: a.user, DocumentID: documentID})
	})
}
