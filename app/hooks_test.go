package app

import (
	"strings"
	"testing"
)

// The secrets of hooks come from the environment and are checked at the start. Without
// them, the data file has one that stays the same.
func TestSecretsOfHooks(t *testing.T) {
	const one, other = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI="
	for given, want := range map[string]string{
		one: one, one + " " + other: one + " " + other, " " + one + "\n": one,
		"whsec_c2hvcnQ=": "24 to 64 bytes", "marker": "HOOKS_SECRET: a secret is whsec_", strings.TrimPrefix(one, "whsec_"): "a secret is whsec_",
		strings.Repeat(one+" ", 5): "one to four secrets", " ": "one to four secrets",
	} {
		t.Setenv(hooksVariable, given)
		secrets, err := (&App{}).hookSecrets()
		got := strings.Join(secrets, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || err != nil && strings.Contains(got, "marker") {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	t.Setenv(hooksVariable, "")
	site := Location{Site: "../testdata/site", Data: t.TempDir()}
	keep := ""
	for range 2 {
		a, err := Open(site, Options{})
		check(t, err)
		secrets, err := a.hookSecrets()
		if err != nil || len(secrets) != 1 || keep != "" && secrets[0] != keep {
			t.Errorf("%d secrets, %v, or another one than before", len(secrets), err)
		}
		keep = secrets[0]
		check(t, a.Close())
	}
}
