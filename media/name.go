package media

import (
	"crypto/rand"
	"encoding/hex"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameLength bounds the readable part of a name on disk, in bytes, so that with
// a format, a hash and an extension it fits any file system.
const nameLength = 80

// newHash makes a name on disk, without its extension: what is readable of a
// file's name, and ten random digits, "wide_9727a3158c".
func newHash(name string) string {
	var random [5]byte
	rand.Read(random[:]) // never fails
	return slug(strings.TrimSuffix(name, filepath.Ext(name))) + "_" + hex.EncodeToString(random[:])
}

// slug keeps letters and digits of ASCII. Accents are dropped, and all else
// becomes underscores: "Crème brûlée (2)" is "Creme_brulee_2".
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

// SafeName reports whether a name can be one in the folder: letters, digits and
// a few signs, and never the beginning of a hidden file or a way elsewhere.
func SafeName(name string) bool {
	if name == "" || len(name) > 255 || name[0] == '.' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !isPlain(r) && !strings.ContainsRune("._-", r) }) < 0
}
