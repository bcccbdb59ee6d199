package users

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/auth"
	"quire/content/body"
)

// Form is the body of a request about accounts: a JSON object without an envelope. Its
// methods collect the errors in it.
type Form struct {
	From netip.Addr    // the client's address; invalid if unknown
	By   auth.Identity // who is calling

	members map[string]body.Value
	issues  []body.Issue
}

// ReadForm reads a JSON body. A body that is not an object has no members. A body that is
// not UTF-8 is a *body.ValidationError.
func ReadForm(text json.RawMessage) (*Form, error) {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '{' && utf8.Valid(text) && !json.Valid(text) {
		return nil, invalidError("The request body is not valid JSON")
	}
	return NewForm(body.OfJSON(text))
}

// NewForm is ReadForm for a body that has been parsed.
func NewForm(v body.Value) (*Form, error) {
	if !v.ValidUTF8() {
		return nil, invalidError("The request body is not valid UTF-8")
	}
	f := &Form{members: map[string]body.Value{}}
	if v.IsObject() {
		for _, m := range v.Members() {
			f.members[m.Key] = m.Value
		}
	}
	return f, nil
}

func invalidError(message string) error { return &body.ValidationError{Message: message} }

func (f *Form) refuse(name, message string) {
	f.issues = append(f.issues, body.Issue{Path: []string{name}, Message: message})
}

func (f *Form) err() error {
	if f.issues == nil {
		return nil
	}
	return &body.ValidationError{Issues: f.issues}
}

// has reports whether the form has a member of that name that is not null.
func (f *Form) has(name string) bool {
	return !f.members[name].IsNull()
}

// names reports whether the form has a member of that name, null or not.
func (f *Form) names(name string) bool {
	_, ok := f.members[name]
	return ok
}

// text returns a required text. Errors never repeat values: they are names and
// passwords.
func (f *Form) text(name string) string {
	s, isText := f.members[name].Text()
	switch {
	case !f.has(name) || isText && s == "":
		f.refuse(name, name+" is a required field")
	case !isText:
		f.refuse(name, name+" must be a `string` type")
	}
	return s
}

// email returns a required mail address, in lower case.
func (f *Form) email(name string) string {
	before := len(f.issues)
	s := f.text(name)
	if len(f.issues) == before && !body.IsEmail(s) {
		f.refuse(name, name+" must be a valid email")
	}
	return strings.ToLower(s)
}

// others returns the names of all members except the known ones, sorted.
func (f *Form) others(known ...string) []string {
	var names []string
	for name := range f.members {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// repeated returns a new password, which the form must have twice.
func (f *Form) repeated() string {
	again := f.text("passwordConfirmation")
	password := f.text("password")
	if f.issues == nil && again != password {
		f.refuse("passwordConfirmation", "Passwords do not match")
	}
	return password
}
