package users

import (
	"errors"
	"strings"
	"testing"

	"quire/content/body"
)

// FuzzForm: whatever bytes come as a body, a form is read or refused, and a
// refusal never repeats what was given.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"email": "ana@example.org", "password": "open sesame", "passwordConfirmation": "open sesam"}`))
	f.Add([]byte(`{"email": ["open sesame"], "password": {"$ne": "open sesame"}, "passwordConfirmation": "open sesame"}`))
	f.Add([]byte(`{"password": "open sesame", "password": 5, "PASSWORD": "open sesame"}`))
	f.Add([]byte("{\"password\": \"open sesame\xff\"}"))
	f.Add([]byte(`[{"password": "open sesame"}] {`))
	f.Fuzz(func(t *testing.T, text []byte) {
		form, err := ReadForm(text)
		if err == nil {
			form.email("email")
			form.repeated()
			form.others("email")
			err = form.err()
		}
		var refused *body.ValidationError
		switch {
		case err == nil:
		case !errors.As(err, &refused):
			t.Errorf("%q: %v", text, err)
		default:
			for _, issue := range refused.Issues {
				if issue.Value != nil || strings.Contains(issue.Message, "sesame") {
					t.Errorf("%q: %+v", text, issue)
				}
			}
		}
	})
}
