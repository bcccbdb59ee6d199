package schema_test

import (
	"os"
	"testing"

	"quire/schema"
)

func TestUploadRules(t *testing.T) {
	site := mustLoad(t, folderOf(`-- site.json --
{"upload": {"sizeLimit": 1000, "allow": ["image/*", "application/pdf"], "deny": ["image/svg+xml"]}}
`))
	u := site.Settings.Upload
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
	byDefault := mustLoad(t, os.DirFS("../testdata/site")).Settings.Upload
	if byDefault.SizeLimit != 200<<20 || !byDefault.Takes("text/html") {
		t.Errorf("by default: %+v", byDefault)
	}
	onlyDenied := schema.Upload{Deny: []string{"text/*"}}
	if onlyDenied.Takes("text/html") || !onlyDenied.Takes("image/png") {
		t.Error("what is denied is taken, or what is not is refused")
	}
}
