package password

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

func TestMatches(t *testing.T) {
	p := NewHasher()
	long := strings.Repeat("x", MaxBytes)
	argon, _ := p.Hash(t.Context(), "open sesame")
	argonLong, _ := p.Hash(t.Context(), long)
	hashes := map[string]string{"argon2id": argon, "argon2id of 72 bytes": argonLong}
	for _, prefix := range []string{"$2a$", "$2b$", "$2y$"} {
		h, err := bcrypt.GenerateFromPassword([]byte("open sesame"), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		hashes["bcrypt "+prefix] = strings.Replace(string(h), "$2a$", prefix, 1)
	}
	bcryptLong, _ := bcrypt.GenerateFromPassword([]byte(long), bcrypt.MinCost)
	hashes["bcrypt of 72 bytes"] = string(bcryptLong)
	for name, hash := range hashes {
		password := "open sesame"
		if strings.HasSuffix(name, "72 bytes") {
			password = long
		}
		for try, want := range map[string]bool{password: true, password + "x": false, "": false} {
			if got, err := p.Matches(t.Context(), hash, try, false); got != want || err != nil {
				t.Errorf("%s, %.20q: %v, %v", name, try, got, err)
			}
		}
		if got, err := p.Matches(t.Context(), hash, password, true); !got || err != nil {
			t.Errorf("%s beside others from elsewhere: %v, %v", name, got, err)
		}
	}
}

// Nothing matches a hash that cannot be read, not even the password that the
// hashes of no password were made of.
func TestMatchesNothing(t *testing.T) {
	p := NewHasher()
	for _, hash := range []string{
		"", "x", "open sesame", "$argon2id$", "$2a$", "$2a$10$short",
		"$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=18$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=4294967295,t=2,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=4000000000,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=0,p=0$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=1,p=1$AAAA$", "$argon2id$v=19$m=8,t=1,p=1$!$AAAA",
	} {
		if ok, err := p.Matches(t.Context(), hash, hash, false); ok || err != nil {
			t.Errorf("%q matches itself (%v)", hash, err)
		}
	}
	if ok, err := p.Matches(t.Context(), "", "nobody has this password", true); ok || err != nil {
		t.Errorf("no hash matches (%v)", err)
	}
}

// An account that there is not is compared like one that there is: with hashes of
// the same kinds and costs.
func TestComparingTakesTheSameTime(t *testing.T) {
	ours, _ := NewHasher().Hash(t.Context(), "x")
	theirs, _ := bcrypt.GenerateFromPassword([]byte("x"), bcrypt.DefaultCost)
	cost := func(hash string, legacy bool) string {
		argon, old := hashesToCompare(hash, legacy)
		h, ok := parseArgon(argon)
		n, _ := bcrypt.Cost([]byte(old))
		return fmt.Sprint(h.memory, h.passes, h.threads, len(h.salt), len(h.key), ok, n)
	}
	if none, one := cost("", false), cost(ours, false); none != one || none != fmt.Sprint(19456, 2, hashThreads, hashSalt, hashBytes, true, 0) {
		t.Errorf("no account %s, an account %s", none, one)
	}
	none, one, old := cost("", true), cost(ours, true), cost(string(theirs), true)
	if none != one || none != old || !strings.HasSuffix(none, fmt.Sprint(" ", bcrypt.DefaultCost)) {
		t.Errorf("no account %s, an account %s, one from elsewhere %s", none, one, old)
	}
}

// A flood is turned away instead of piling up.
func TestPasswordsAreBusy(t *testing.T) {
	p := NewHasher()
	held := make(chan struct{})
	var began, ended sync.WaitGroup
	for range cap(p.slots) {
		began.Add(1)
		ended.Go(func() { p.run(t.Context(), p.writes, func() { began.Done(); <-held }) })
	}
	began.Wait()
	for range cap(p.writes) - cap(p.slots) {
		p.writes <- struct{}{}
	}
	if _, err := p.Hash(t.Context(), "x"); !errors.As(err, new(*BusyError)) {
		t.Errorf("there is no end to the writes that wait: %v", err)
	}
	for range cap(p.signIns) {
		p.signIns <- struct{}{}
	}
	if _, err := p.Matches(t.Context(), "", "x", false); !errors.As(err, new(*BusyError)) {
		t.Errorf("there is no end to the sign-ins that wait: %v", err)
	}
	close(held)
	ended.Wait()
	if cap(p.slots) > max(1, runtime.GOMAXPROCS(0)/2) {
		t.Error("hashing takes more than half of the processors")
	}
}

// As many writes with passwords as may wait keep nobody from signing in, nor the other
// way round.
func TestSignInsHaveAShareOfTheirOwn(t *testing.T) {
	p := NewHasher()
	for range cap(p.writes) {
		p.writes <- struct{}{}
	}
	if _, err := p.Matches(t.Context(), "", "x", false); err != nil {
		t.Errorf("a sign-in among many writes: %v", err)
	}
	p = NewHasher()
	for range cap(p.signIns) {
		p.signIns <- struct{}{}
	}
	if _, err := p.Hash(t.Context(), "x"); err != nil {
		t.Errorf("a write among many sign-ins: %v", err)
	}
}

// occupied is a hasher whose slots are taken until the test releases them.
func occupied(t *testing.T) (p *Hasher, release func()) {
	p = NewHasher()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	return p, func() {
		for range cap(p.slots) {
			<-p.slots
		}
	}
}

// Whoever has gone does not wait for a slot, and takes none that is free.
func TestHashingEndsWithItsContext(t *testing.T) {
	p, release := occupied(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := p.Hash(ctx, "x")
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("one who waits: %v", err)
	}
	release()
	if hash, err := p.Hash(ctx, "x"); hash != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("one who comes after that: %q, %v", hash, err)
	}
	if len(p.writes) != 0 {
		t.Errorf("%d still wait", len(p.writes))
	}
}

// Those who wait when the server stops are sent away, and those who come then.
func TestHashingEndsWithTheServer(t *testing.T) {
	p, release := occupied(t)
	ended := make(chan error)
	for _, hash := range []func(context.Context, string) (string, error){p.Hash, p.HashInTurn} {
		go func() {
			_, err := hash(t.Context(), "x")
			ended <- err
		}()
	}
	p.Close()
	for range 2 {
		if err := <-ended; !errors.As(err, new(*BusyError)) {
			t.Errorf("one who waits: %v", err)
		}
	}
	release()
	if _, err := p.Hash(t.Context(), "x"); !errors.As(err, new(*BusyError)) {
		t.Errorf("one who comes after that: %v", err)
	}
}

// An import waits behind a flood that is turned away itself.
func TestHashingInTurnIsNotRefused(t *testing.T) {
	p := NewHasher()
	for range cap(p.writes) {
		p.writes <- struct{}{}
	}
	if hash, err := p.HashInTurn(t.Context(), "x"); hash == "" || err != nil {
		t.Errorf("%q, %v", hash, err)
	}
}

func TestHashIsArgon2id(t *testing.T) {
	hasher := NewHasher()
	first, err := hasher.Hash(t.Context(), "open sesame")
	if err != nil {
		t.Fatal(err)
	}
	second, _ := hasher.Hash(t.Context(), "open sesame")
	if first == second {
		t.Error("the same password gave the same hash twice")
	}
	parts := strings.Split(first, "$")
	if len(parts) != 6 || strings.Join(parts[:4], "$") != "$argon2id$v=19$m=19456,t=2,p=1" {
		t.Fatalf("the hash is %q", first)
	}
	salt, _ := base64.RawStdEncoding.DecodeString(parts[4])
	key := argon2.IDKey([]byte("open sesame"), salt, 2, 19456, 1, 32)
	if got := base64.RawStdEncoding.EncodeToString(key); got != parts[5] {
		t.Errorf("the hash is %s, want %s", parts[5], got)
	}
}

// FuzzHash: what comes for a hash with an import costs no more than is allowed
// when a password is compared with it.
func FuzzHash(f *testing.F) {
	f.Add(noPassword())
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$AAAA$AAAA")
	f.Add("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b0dWRWJTmaaJObG")
	f.Add("$argon2id$v=19$m=+8,t=1 ,p=1$$")
	f.Add("$2b$31$v1MPa6u4sUlBr4vFizrB0ea4OBRJ7CZlA3PR5758QFMXfiqaXovRS")
	f.Add("$2y$1")
	f.Fuzz(func(t *testing.T, hash string) {
		h, ok := parseArgon(hash)
		if ok && (h.memory > mostMemory || h.passes == 0 || h.passes > mostPasses || h.threads == 0 || len(h.key) < 16 || len(h.key) > 64) {
			t.Errorf("%q is believed: %+v", hash, h)
		}
		for _, legacy := range []bool{false, true} {
			argon, old := hashesToCompare(hash, legacy)
			if cost, err := bcrypt.Cost([]byte(old)); old != "" && (err != nil || cost > mostBcrypt) || argon == "" || IsBcrypt(argon) {
				t.Errorf("%q is compared as %q and %q", hash, argon, old)
			}
		}
	})
}
