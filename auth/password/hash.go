package password

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/crypto/argon2"

	"quire/auth/password/internal/cost"
)

// The form of a hash; package cost has its memory and passes.
const (
	hashThreads = 1
	hashSalt    = 16
	hashBytes   = 32
)

// MaxBytes is the maximum length of a password: bcrypt ignores the rest.
const MaxBytes = 72

// BusyError: too many requests wait for a password to be hashed. Try again later.
type BusyError struct{}

func (*BusyError) Error() string { return "Too much is going on at once; try again" }

// Hasher hashes passwords and compares them. Each hash takes much memory and time, so a
// Hasher uses at most half of the processors, and reads stay fast while many people sign
// in. The others wait. Sign-ins and writes with passwords have separate limits: too many
// writes do not prevent sign-ins.
type Hasher struct {
	slots   chan struct{}
	signIns chan struct{} // that have a slot or wait for one
	writes  chan struct{}
	closing chan struct{}
	closed  sync.Once
}

// mostWaiting limits the sign-ins that wait for each slot, and the writes.
const mostWaiting = 64

// NewHasher returns a Hasher for the processors of this machine.
func NewHasher() *Hasher {
	slots := max(1, runtime.GOMAXPROCS(0)/2)
	queue := func() chan struct{} { return make(chan struct{}, slots*(1+mostWaiting)) }
	return &Hasher{slots: make(chan struct{}, slots), signIns: queue(), writes: queue(), closing: make(chan struct{})}
}

// Close makes all calls that wait for a slot, and all later ones, fail with a *BusyError. A
// hash that has begun is finished.
func (p *Hasher) Close() { p.closed.Do(func() { close(p.closing) }) }

// run runs fn when it gets a slot. If too many wait in the queue, or after Close, it does
// not run fn and returns a *BusyError; if ctx ends first, it returns the context's error.
func (p *Hasher) run(ctx context.Context, queue chan struct{}, fn func()) error {
	select {
	case queue <- struct{}{}:
	default:
		return &BusyError{}
	}
	defer func() { <-queue }()
	return p.runQueued(ctx, fn)
}

// runQueued is run without the limit on waiting calls.
func (p *Hasher) runQueued(ctx context.Context, fn func()) error {
	select {
	case <-p.closing: // otherwise it might still take a free slot
		return &BusyError{}
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.closing:
		return &BusyError{}
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.slots }()
	fn()
	return nil
}

// Hash returns the argon2id hash of a password for a write, with a new salt, in the usual
// text form: $argon2id$v=19$m=…,t=…,p=…$salt$hash. It may return a *BusyError or the
// context's error.
func (p *Hasher) Hash(ctx context.Context, password string) (hash string, err error) {
	err = p.run(ctx, p.writes, func() { hash = argon2Hash(password) })
	return hash, err
}

// HashInTurn is Hash for an import: it waits for a slot even if many are waiting.
func (p *Hasher) HashInTurn(ctx context.Context, password string) (hash string, err error) {
	err = p.runQueued(ctx, func() { hash = argon2Hash(password) })
	return hash, err
}

func argon2Hash(password string) string {
	salt := make([]byte, hashSalt)
	rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, cost.Passes, cost.Memory, hashThreads, hashBytes)
	return argonText(salt, key)
}

func argonText(salt, key []byte) string {
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, cost.Memory, cost.Passes, hashThreads, text(salt), text(key))
}
