package auth

import (
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A code comes by mail and proves that whoever shows it reads that mail. It is
// the user's documentId and 64 random hex digits. The user's entry keeps a keyed
// hash of it and when it expires, in a private attribute: "1714564800:9f8e…".

const (
	codeBytes            = 32
	resetLifetime        = time.Hour
	confirmationLifetime = 72 * time.Hour
)

// newCode returns a code for a user, and what is stored of it.
func (a *Accounts) newCode(documentID string, lifetime time.Duration) (code, stored string) {
	code = documentID + random(codeBytes)
	d := hash(a.auth.key, code)
	return code, fmt.Sprintf("%d:%s", a.auth.now().Add(lifetime).Unix(), hex.EncodeToString(d[:]))
}

// ownerOf is the documentId of the user for whom the code was made.
func ownerOf(code string) string { return code[:max(0, len(code)-2*codeBytes)] }

// redeems reports whether the code is the one that was stored and still works.
func (a *Accounts) redeems(code, stored string) bool {
	expires, sum, _ := strings.Cut(stored, ":")
	until, err := strconv.ParseInt(expires, 10, 64)
	d := hash(a.auth.key, code)
	same := subtle.ConstantTimeCompare([]byte(sum), []byte(hex.EncodeToString(d[:]))) == 1
	return err == nil && same && a.auth.now().Unix() < until
}
