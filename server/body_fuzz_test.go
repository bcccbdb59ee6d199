package server

import (
	"encoding/json"
	"testing"

	"quire/content/body"
	"quire/schema/settings"
)

// FuzzReadData: whatever the bytes of a body, "data" is valid JSON or absent, or the
// body is refused with an error that a client can read.
func FuzzReadData(f *testing.F) {
	f.Add([]byte(`{"data": {"name": "x"}}`), false)
	f.Add([]byte(`{"data": {}, "data": []} {`), false)
	f.Add([]byte(`data[name]=x&data[list][]=1&data[list][]=2&data[none]`), true)
	f.Add([]byte(`data=x&data[a]=y&data[0]=%00"`), true)
	limits := &settings.Limits{Depth: 20}
	f.Fuzz(func(t *testing.T, text []byte, form bool) {
		read := dataOf
		if form {
			read = func(b []byte) (body.Value, error) { return formData(b, limits) }
		}
		data, err := read(text)
		if err != nil {
			if p := explain(err); p == nil || p.Status != 400 || p.Message == "" {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !json.Valid(data.JSON()) {
			t.Errorf("%q: data is %q", text, data.JSON())
		}
	})
}
