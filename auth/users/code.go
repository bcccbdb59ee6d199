package users

import (
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"quire/auth"
	"strconv"
	"strings"
	"time"
)

// A code is sent by mail and proves that its holder reads that mail. It is the user's
// documentId and 64 random hex digits. A private attribute of the user stores when it
// expires and its keyed hash: "1714564800:9f8e…".
//
// The hash also covers what the code was made for: the code becomes invalid when the user
// gets another address or password.

// resetBinding returns what a code for a new password is bound to.
func (u *user) resetBinding() string { return u.Email + "\n" + u.password }

// confirmationBinding returns what a code that confirms an address is bound to.
func (u *user) confirmationBinding() string { return u.Email }

const (
	codeBytes            = 32
	resetLifetime        = time.Hour
	confirmationLifetime = 72 * time.Hour
)

// newCode returns a code for a user, and its stored form.
func (a *Accounts) newCode(u *user, bound string, until time.Time) (code, stored string) {
	code = u.DocumentID + auth.RandomText(codeBytes)
	return code, fmt.Sprintf("%d:%s", until.Unix(), a.codeDigest(code, bound))
}

// codeDigest returns the keyed hash of a code and what it is bound to.
func (a *Accounts) codeDigest(code, bound string) string {
	d := a.auth.Digest(code + "\n" + bound)
	return hex.EncodeToString(d[:])
}

// codeOwner returns the documentId of the user for whom the code was made.
func codeOwner(code string) string { return code[:max(0, len(code)-2*codeBytes)] }

// codeWorks reports whether the code is the stored one and has not expired.
func (a *Accounts) codeWorks(code, bound, stored string) bool {
	_, sum, _ := strings.Cut(stored, ":")
	same := subtle.ConstantTimeCompare([]byte(sum), []byte(a.codeDigest(code, bound))) == 1
	return same && a.service.now().Unix() < codeEnds(stored).Unix()
}

// codeEnds returns when a code expires; 1970 if none is stored.
func codeEnds(stored string) time.Time {
	expires, _, _ := strings.Cut(stored, ":")
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil {
		until = 0
	}
	return time.Unix(until, 0)
}
