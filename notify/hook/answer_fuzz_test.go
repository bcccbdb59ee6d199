package hook

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode"
	"unicode/utf8"

	"quire/content"
	"quire/schema/settings"
)

// FuzzAnswer: whatever a hook answers is an object to write, nothing, a refusal within its
// bounds, or an error that is none.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"data": {"name": "b"}}`))
	f.Add(204, []byte{})
	f.Add(403, []byte(`{"error": {"message": "Sold out", "details": {"left": 0}}}`))
	f.Add(400, []byte(`{"message": "\u0000\n", "error": []}`))
	f.Add(400, []byte("{\"message\": \"a\u2028b\", \"details\": {\"\xff\": 0}}"))
	f.Fuzz(func(t *testing.T, status int, text []byte) {
		h := &hook{Hook: settings.Hook{Name: "test"}}
		data, err := h.read(status, text)
		var refused *content.RefusedError
		switch {
		case errors.As(err, &refused):
			n := utf8.RuneCountInString(refused.Message)
			if refused.Status < 400 || refused.Status > 499 || n == 0 || n > longestMessage+1 || !utf8.ValidString(refused.Message) {
				t.Errorf("refused with %d %q", refused.Status, refused.Message)
			}
			for _, r := range refused.Message {
				if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
					t.Errorf("the message has %q", r)
				}
			}
			if refused.Details != nil && (!json.Valid(refused.Details) || !utf8.Valid(refused.Details) || len(refused.Details) > longestDetails) {
				t.Errorf("the details are %q", refused.Details)
			}
		case err != nil:
			if data != nil {
				t.Errorf("both %q and %v", data, err)
			}
		case data != nil && (!json.Valid(data) || !utf8.Valid(data) || data[0] != '{' || status < 200 || status > 299):
			t.Errorf("%d with %q is data", status, data)
		}
	})
}
