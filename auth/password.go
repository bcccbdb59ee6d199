package auth

import (
	"encoding/base64"
	"fmt"
	"runtime"

	"golang.org/x/crypto/argon2"
)

// The cost of one hash, as OWASP recommends for argon2id: 19 MiB, two passes.
const (
	hashMemory  = 19 * 1024 // KiB
	hashPasses  = 2
	hashThreads = 1
	hashSalt    = 16
	hashBytes   = 32
)

// mostBytes is the length of the longest password: all that bcrypt looks at.
const mostBytes = 72

// Passwords hashes passwords and compares them. As each hash takes much memory
// and time, it uses half of the processors at most, so that whoever reads does
// not notice that many sign in; others wait, but not too many.
type Passwords struct {
	slots chan struct{}
	queue chan struct{} // slots and those who wait for one
}

// mostWaiting bounds who waits for one slot.
const mostWaiting = 64

// NewPasswords returns a hasher of passwords.
func NewPasswords() *Passwords {
	slots := max(1, runtime.GOMAXPROCS(0)/2)
	return &Passwords{slots: make(chan struct{}, slots), queue: make(chan struct{}, slots*(1+mostWaiting))}
}

// work runs fn when there is a slot for it. When too many wait already, it is
// not run and the error is a *BusyError.
func (p *Passwords) work(fn func()) error {
	select {
	case p.queue <- struct{}{}:
	default:
		return &BusyError{}
	}
	defer func() { <-p.queue }()
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	fn()
	return nil
}

// Hash returns the argon2id hash of the password with a salt of its own, in the
// usual text form: $argon2id$v=19$m=…,t=…,p=…$salt$hash. It may return a
// *BusyError.
func (p *Passwords) Hash(password string) (hash string, err error) {
	err = p.work(func() {
		salt := randomBytes(hashSalt)
		key := argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashThreads, hashBytes)
		text := base64.RawStdEncoding.EncodeToString
		hash = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
			argon2.Version, hashMemory, hashPasses, hashThreads, text(salt), text(key))
	})
	return hash, err
}
