package auth

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/content"
)

// Form is the body of a request about accounts: a JSON object without an
// envelope. It gathers what is wrong with it.
type Form struct {
	members map[string]json.RawMessage
	issues  []content.Issue
}

// ReadForm reads a body. What is no object has no members. A body that is not
// UTF-8 is a *content.ValidationError.
func ReadForm(body json.RawMessage) (*Form, error) {
	if !utf8.Valid(body) {
		return nil, invalid("The request body is not valid UTF-8")
	}
	f := &Form{members: map[string]json.RawMessage{}}
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '{' {
		if err := json.Unmarshal(body, &f.members); err != nil {
			return nil, invalid("The request body is not valid JSON")
		}
	}
	return f, nil
}

func invalid(message string) error { return &content.ValidationError{Message: message} }

func (f *Form) refuse(name, message string) {
	f.issues = append(f.issues, content.Issue{Path: []string{name}, Message: message})
}

func (f *Form) err() error {
	if f.issues == nil {
		return nil
	}
	return &content.ValidationError{Issues: f.issues}
}

// has reports whether the form says something about a name.
func (f *Form) has(name string) bool {
	raw, ok := f.members[name]
	return ok && string(raw) != "null"
}

// names reports whether the form has a member of that name, null or not.
func (f *Form) names(name string) bool {
	_, ok := f.members[name]
	return ok
}

// text returns a text that must be there. Values are never repeated in a
// refusal: they are names and passwords.
func (f *Form) text(name string) string {
	var s string
	switch raw := f.members[name]; {
	case !f.has(name) || string(raw) == `""`:
		f.refuse(name, name+" is a required field")
	case json.Unmarshal(raw, &s) != nil:
		f.refuse(name, name+" must be a `string` type")
	}
	return s
}

// email returns a mail address that must be there, in lower case.
func (f *Form) email(name string) string {
	said := len(f.issues)
	s := f.text(name)
	if len(f.issues) == said && !content.IsEmail(s) {
		f.refuse(name, name+" must be a valid email")
	}
	return strings.ToLower(s)
}

// others names the members beside the known ones, in alphabetic order.
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

// repeated returns a new password, which must be given twice alike.
func (f *Form) repeated() string {
	again := f.text("passwordConfirmation")
	password := f.text("password")
	if f.issues == nil && again != password {
		f.refuse("passwordConfirmation", "Passwords do not match")
	}
	return password
}
