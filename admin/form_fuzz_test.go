package admin

import (
	"encoding/json"
	"reflect"
	"testing"

	"quire/auth/people"
)

// FuzzForm: a form is read, and is the same when it is written and read again, or it is
// refused in words.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"name":"Translators","rights":{"types":{"*":{"actions":["read"],"own":true,"locales":["de"],"hidden":["a.b"]}},"files":["read"],"site":["accounts"]}}`))
	f.Add([]byte(`{"name":"Ana","email":"ana@example.org","role":"owner","password":"12345678"}`))
	f.Add([]byte(`{"token":"x","name":null,"email":[],"password":7}`))
	f.Add([]byte(`{"name":"a","name":"b","NAME":"c"} `))
	f.Add([]byte(`{}{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, make := range []func() any{
			func() any { return new(people.RoleForm) },
			func() any { return new(people.NewAccount) },
			func() any { return new(people.AccountChange) },
			func() any { return new(people.Choice) },
		} {
			form, again := make(), make()
			if err := decode(text, form); err != nil {
				if err.Error() == "" {
					t.Errorf("%q is refused without a word", text)
				}
				continue
			}
			if !json.Valid(text) {
				t.Errorf("%q is read", text)
			}
			written, err := json.Marshal(form)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := form.(*people.Choice); ok {
				continue // it is never written
			}
			if err := decode(written, again); err != nil || !reflect.DeepEqual(form, again) && !sameJSON(form, again) {
				t.Errorf("%q is read as %s and then as %+v, %v", text, written, again, err)
			}
		}
	})
}

// sameJSON reports whether two values are the same but for lists that are empty or nil.
func sameJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}
