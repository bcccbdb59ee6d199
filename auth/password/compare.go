package password

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// A hash that no password matches. Comparing with it takes as long as with any other.
const noBcrypt = "$2a$10$v1MPa6u4sUlBr4vFizrB0ea4OBRJ7CZlA3PR5758QFMXfiqaXovRS"

// noPassword is such a hash of argon2id.
func noPassword() string { return argonText(make([]byte, hashSalt), make([]byte, hashBytes)) }

// Matches reports whether the hash is of that password. Comparing takes the same time for
// every hash, also for one that no password matches: if legacy is set, which means that
// some hashes are of bcrypt, it does the work of both kinds each time. It may return a
// *BusyError or the context's error.
func (p *Hasher) Matches(ctx context.Context, hash, password string, legacy bool) (ok bool, err error) {
	argon, old := hashesToCompare(hash, legacy)
	err = p.run(ctx, p.signIns, func() {
		ok = matchesArgon(argon, password) && argon == hash
		if old != "" {
			ok = matchesBcrypt(old, password) && old == hash || ok
		}
	})
	return ok && len(password) <= MaxBytes, err
}

// hashesToCompare returns the hashes to compare a password with: one of each kind, and for
// the kind that hash is not, one that no password matches.
func hashesToCompare(hash string, legacy bool) (argon, bcrypt string) {
	switch {
	case IsBcrypt(hash):
		if !affordable(hash) {
			hash = noBcrypt
		}
		return noPassword(), hash
	case hash == "":
		hash = noPassword()
	}
	if legacy {
		return hash, noBcrypt
	}
	return hash, ""
}

// IsBcrypt reports whether a stored hash is a bcrypt hash, by its prefix.
func IsBcrypt(hash string) bool {
	return strings.HasPrefix(hash, "$2a$") || strings.HasPrefix(hash, "$2b$") || strings.HasPrefix(hash, "$2y$")
}

// affordable reports whether comparing with a bcrypt hash costs no more than is allowed.
// Each step of its cost doubles the time: the highest would take days.
func affordable(hash string) bool {
	cost, err := bcrypt.Cost([]byte(hash))
	return err == nil && cost <= mostBcrypt
}

func matchesBcrypt(hash, password string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password[:min(len(password), MaxBytes)])) == nil
}

// Limits of the cost of a hash, which may come from an import.
const (
	mostMemory = 256 * 1024 // KiB
	mostPasses = 16
	mostBcrypt = 15 // a second or two
)

// argonHash is a parsed argon2id hash.
type argonHash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

// matchesArgon compares with an argon2id hash. For a hash that cannot be parsed it does the
// same work, and reports false.
func matchesArgon(hash, password string) bool {
	h, ok := parseArgon(hash)
	if !ok {
		h, _ = parseArgon(noPassword())
	}
	key := argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.threads, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1 && ok
}

func parseArgon(hash string) (h argonHash, ok bool) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return h, false
	}
	n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.threads)
	if n != 3 || err != nil || h.memory > mostMemory || h.passes == 0 || h.passes > mostPasses || h.threads == 0 {
		return h, false
	}
	h.salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	if err == nil {
		h.key, err = base64.RawStdEncoding.DecodeString(parts[5])
	}
	return h, err == nil && len(h.key) >= 16 && len(h.key) <= 64
}
