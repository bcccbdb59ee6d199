package media

import (
	"regexp"
	"strings"
	"testing"
)

func TestNamesOnDisk(t *testing.T) {
	for name, want := range map[string]string{
		"wide.jpg":               "wide",
		"Crème brûlée (2).png":   "Creme_brulee_2",
		"../../etc/passwd":       "etc_passwd",
		"":                       "file",
		".htaccess":              "file",
		"日本.png":                 "file",
		"a.tar.gz":               "a_tar",
		"__x__":                  "x",
		"ﬁle½":                   "file1_2",
		strings.Repeat("x", 500): strings.Repeat("x", nameLength),
	} {
		hash := newHash(name)
		if got := hash[:len(hash)-len("_0123456789")]; got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
		if !regexp.MustCompile(`^[A-Za-z0-9_]+_[0-9a-f]{10}$`).MatchString(hash) || !SafeName(hash) {
			t.Errorf("%q: %q is not a safe name", name, hash)
		}
		if newHash(name) == hash {
			t.Errorf("%q: %q twice", name, hash)
		}
	}
}

func TestUnsafeNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".hidden", "a/b", `a\b`, "a b", "a\x00", "ä", temporary + "1", strings.Repeat("x", 256)} {
		if SafeName(name) {
			t.Errorf("%q is taken for safe", name)
		}
	}
}
