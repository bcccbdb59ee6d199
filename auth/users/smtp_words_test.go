package users

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"unicode"
)

// What a mail server says is repeated in one short line, and never with what it was given
// to authenticate.
func TestWordsOfAMailServer(t *testing.T) {
	s := &smtp{host: "mail.example.org", user: "me@example.org", password: "to/p Secret"}
	encoded := base64.StdEncoding.EncodeToString
	for _, said := range []string{
		"550 no such user\r\nand another line\x1b[31m\x00\u009b",
		"535 for me@example.org you gave TO/P SECRET",
		"535 you gave to%2Fp+Secret",
		"535 " + encoded([]byte("to/p Secret")),
		"535 " + encoded([]byte("\x00me@example.org\x00to/p Secret")) + " is wrong",
		"535 " + encoded([]byte("me@example.org")) + " is not known here, nor me@example.org",
		strings.Repeat("é", 5000) + "\xff",
		"\xff\xfe",
	} {
		got := s.unsent(errors.New(said)).Error()
		if strings.ContainsFunc(got, unicode.IsControl) || len(got) > longestReason || got == "" || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%.80q is repeated as %q", said, got)
		}
		for _, secret := range []string{"ecret", "ECRET", encoded([]byte("to/p Secret")), "me@example.org", encoded([]byte("me@example.org"))} {
			if strings.Contains(got, secret) {
				t.Errorf("%.80q is repeated as %q", said, got)
			}
		}
	}
	if got := s.unsent(errors.New("550 5.1.1 no such user")).Error(); got != "550 5.1.1 no such user" {
		t.Errorf("plain words: %q", got)
	}
	if got := (&smtp{}).unsent(errors.New("550 no")).Error(); got != "550 no" {
		t.Errorf("without credentials: %q", got)
	}
}
