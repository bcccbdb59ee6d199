package people

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"quire/store"
)

// factorsBucket holds the second factors of accounts, by the id of the account.
const factorsBucket = "admin.factors"

// factor is the stored form of the second factor of an account, which sign-in requires
// after the password.
type factor struct {
	Secret   []byte    `json:"secret"`   // of the app's codes, encrypted
	Step     int64     `json:"step"`     // of the latest of these codes that was used
	Recovery []string  `json:"recovery"` // digests of the recovery codes that were not used
	Since    time.Time `json:"since"`
}

// recoveryCodes is the number of codes for people who have lost the app.
const recoveryCodes = 10

func readFactor(value []byte) (*factor, error) {
	f := new(factor)
	return f, json.Unmarshal(value, f)
}

// factorOf reads the second factor of an account within a transaction, nil for none. One
// that cannot be read exists, and accepts no code.
func factorOf(tx *store.Tx, id string) (*factor, error) {
	value, err := tx.Record(factorsBucket, id)
	if err != nil || value == nil {
		return nil, err
	}
	f, err := readFactor(value)
	if err != nil {
		f = &factor{}
	}
	return f, nil
}

func (f *factor) put(tx *store.Tx, id string) error {
	return tx.PutJSON(factorsBucket, id, f)
}

// accept takes a code: a current code of the app that was not used before, or a recovery
// code, which is used up. It returns which of them it was, empty for neither; the caller
// stores the change.
func (b *Directory) accept(f *factor, code string) (how string) {
	code = strings.ToLower(strings.Map(withoutGaps, code))
	if len(code) == codeDigits {
		secret, err := b.auth.Unseal(factorPurpose, f.Secret)
		if err != nil {
			return ""
		}
		step, ok := stepOfCode(secret, code, b.now())
		if !ok || step <= f.Step {
			return ""
		}
		f.Step = step
		return "an app"
	}
	i := slices.Index(f.Recovery, b.digest(recoveryPurpose+code))
	if i < 0 {
		return ""
	}
	f.Recovery = slices.Delete(f.Recovery, i, i+1)
	return "a recovery code"
}

const (
	factorPurpose   = "second factors"
	recoveryPurpose = "recovery code "
)

// withoutGaps drops the characters that people put between the parts of a code.
func withoutGaps(r rune) rune {
	if r == ' ' || r == '-' {
		return -1
	}
	return r
}

// letters is the encoding of secrets and recovery codes: letters and digits that cannot be
// confused.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// recoveryBytes is the size of a recovery code. 120 bits cannot be guessed from a digest.
const recoveryBytes = 15

// renewRecovery replaces the recovery codes, and returns the new ones in their readable
// form: "k7mq-2fzd-…". Only their digests are stored.
func (b *Directory) renewRecovery(f *factor) (codes []string) {
	f.Recovery = nil
	for range recoveryCodes {
		random := make([]byte, recoveryBytes)
		rand.Read(random) // never fails
		code := strings.ToLower(letters.EncodeToString(random))
		f.Recovery = append(f.Recovery, b.digest(recoveryPurpose+code))
		var groups []string
		for group := range slices.Chunk([]byte(code), 4) {
			groups = append(groups, string(group))
		}
		codes = append(codes, strings.Join(groups, "-"))
	}
	return codes
}
