package auth

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"quire/content"
	"quire/schema"
)

// FuzzForm: whatever bytes come as a body, a form is read or refused, and a
// refusal never repeats what was given.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"email": "ana@example.org", "password": "open sesame", "passwordConfirmation": "open sesam"}`))
	f.Add([]byte(`{"email": ["open sesame"], "password": {"$ne": "open sesame"}, "passwordConfirmation": "open sesame"}`))
	f.Add([]byte(`{"password": "open sesame", "password": 5, "PASSWORD": "open sesame"}`))
	f.Add([]byte("{\"password\": \"open sesame\xff\"}"))
	f.Add([]byte(`[{"password": "open sesame"}] {`))
	f.Fuzz(func(t *testing.T, body []byte) {
		form, err := ReadForm(body)
		if err == nil {
			form.email("email")
			form.repeated()
			form.others("email")
			err = form.err()
		}
		var refused *content.ValidationError
		switch {
		case err == nil:
		case !errors.As(err, &refused):
			t.Errorf("%q: %v", body, err)
		default:
			for _, issue := range refused.Issues {
				if issue.Value != nil || strings.Contains(issue.Message, "sesame") {
					t.Errorf("%q: %+v", body, issue)
				}
			}
		}
	})
}

// FuzzHash: what comes for a hash with an import costs no more than is allowed
// when a password is compared with it.
func FuzzHash(f *testing.F) {
	f.Add(noPassword)
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$AAAA$AAAA")
	f.Add("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b0dWRWJTmaaJObG")
	f.Add("$argon2id$v=19$m=+8,t=1 ,p=1$$")
	f.Add("$2b$31$v1MPa6u4sUlBr4vFizrB0ea4OBRJ7CZlA3PR5758QFMXfiqaXovRS")
	f.Add("$2y$1")
	f.Fuzz(func(t *testing.T, hash string) {
		h, ok := parseArgon(hash)
		if ok && (h.memory > mostMemory || h.passes == 0 || h.passes > mostPasses || h.threads == 0 || len(h.key) < 16 || len(h.key) > 64) {
			t.Errorf("%q is believed: %+v", hash, h)
		}
		for _, legacy := range []bool{false, true} {
			argon, old := toCompare(hash, legacy)
			if cost, err := bcrypt.Cost([]byte(old)); old != "" && (err != nil || cost > mostBcrypt) || argon == "" || isBcrypt(argon) {
				t.Errorf("%q is compared as %q and %q", hash, argon, old)
			}
		}
	})
}

// FuzzTree: whatever comes for the permissions of a role, no more is granted than
// it enables.
func FuzzTree(f *testing.F) {
	site, err := schema.Load(os.DirFS("../testdata/site"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"api::dish": {"controllers": {"dish": {"find": {"enabled": true, "policy": ""}, "delete": {"enabled": false}}}}}`))
	f.Add([]byte(`{"plugin::users-permissions": {"controllers": {"user": {"me": {"enabled": 1}}}}}`))
	f.Add([]byte(`{"": {"controllers": {"": {"": {"enabled": true}}}}}`))
	f.Add([]byte(`{"api::dish": null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		granted, err := ReadTree(site, body)
		if err == nil && len(granted) > bytes.Count(bytes.ToLower(body), []byte("true")) {
			t.Errorf("%q grants %v", body, granted)
		}
	})
}
