package settings_test

import (
	"testing"

	"quire/schema/settings"
)

func TestUploadRules(t *testing.T) {
	u := readSettings(t, `{"upload": {"sizeLimit": 1000, "allow": ["image/*", "application/pdf"], "deny": ["image/svg+xml"]}}`).Upload
	if u.SizeLimit != 1000 {
		t.Errorf("size limit %d", u.SizeLimit)
	}
	for mime, want := range map[string]bool{
		"image/png": true, "image/svg+xml": false, "application/pdf": true, "application/zip": false, "text/plain": false, "images/png": false, "image": false, "": false,
	} {
		if u.Takes(mime) != want {
			t.Errorf("%q: got %t", mime, !want)
		}
	}
	byDefault := readSettings(t, `{}`).Upload
	if byDefault.SizeLimit != 200<<20 || !byDefault.Takes("text/html") {
		t.Errorf("by default: %+v", byDefault)
	}
	onlyDenied := settings.Upload{Deny: []string{"text/*"}}
	if onlyDenied.Takes("text/html") || !onlyDenied.Takes("image/png") {
		t.Error("what is denied is taken, or what is not is refused")
	}
}
