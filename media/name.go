package media

import (
	"crypto/rand"
	"encoding/hex"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameLength limits the readable part of a file name, in bytes, so that with a format, a
// hash and an extension it fits any file system.
const nameLength = 80

// newHash returns a file name without its extension: the readable part of a name, and ten
// random digits, "wide_9727a3158c".
func newHash(name string) string {
	var random [5]byte
	rand.Read(random[:]) // never fails
	return slug(strings.TrimSuffix(name, filepath.Ext(name))) + "_" + hex.EncodeToString(random[:])
}

// slug keeps letters and digits of ASCII. It drops accents, and replaces everything else
// with underscores: "Crème brûlée (2)" becomes "Creme_brulee_2".
func slug(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case isPlain(r):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // an accent
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() == nameLength {
			break
		}
	}
	text := strings.Trim(b.String(), "_")
	if text == "" {
		return "file"
	}
	return text
}

func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// SafeName reports whether a name can be used in the folder: letters, digits and a few
// signs, not hidden and not a path.
func SafeName(name string) bool {
	if name == "" || len(name) > 255 || name[0] == '.' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !isPlain(r) && !strings.ContainsRune("._-", r) }) < 0
}
