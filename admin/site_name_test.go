package admin

import (
	"strings"
	"testing"
)

// The name that apps show beside a code is cut where a character ends that people see.
func TestNamesOfSitesAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 50)
	for text, want := range map[string]string{
		"":                                   "",
		long + "1234567890":                  long + "1234567890",
		long + "12345678\u00e9":              long + "12345678\u00e9",
		long + "123456789\u00e9":             long + "123456789",
		long + "12345678e\u0301":             long + "12345678",
		long + "1\U0001F469\u200d\U0001F469": long + "1",
		long + "12\U0001F1EB\U0001F1F7":      long + "12\U0001F1EB\U0001F1F7",
		long + "123\U0001F1EB\U0001F1F7":     long + "123",
		long + "123\U0001F44D\U0001F3FD":     long + "123",
		long + "12345 \u1112\u1161":          long + "12345",
		"x" + strings.Repeat("\u0301", 40):   "",
	} {
		if got := cut(text, 60); got != want {
			t.Errorf("%+q is cut to %+q, not %+q", text, got, want)
		}
	}
}
