package auth

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

func TestMatches(t *testing.T) {
	p := NewPasswords()
	long := strings.Repeat("x", mostBytes)
	argon, _ := p.Hash("open sesame")
	argonLong, _ := p.Hash(long)
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
			if got, err := p.Matches(hash, try, false); got != want || err != nil {
				t.Errorf("%s, %.20q: %v, %v", name, try, got, err)
			}
		}
		if got, err := p.Matches(hash, password, true); !got || err != nil {
			t.Errorf("%s beside others from elsewhere: %v, %v", name, got, err)
		}
	}
}

// Nothing matches a hash that cannot be read, not even the password that the
// hashes of no password were made of.
func TestMatchesNothing(t *testing.T) {
	p := NewPasswords()
	for _, hash := range []string{
		"", "x", "open sesame", "$argon2id$", "$2a$", "$2a$10$short",
		"$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=18$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=4294967295,t=2,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=4000000000,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=0,p=0$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=1,p=1$AAAA$", "$argon2id$v=19$m=8,t=1,p=1$!$AAAA",
	} {
		if ok, err := p.Matches(hash, hash, false); ok || err != nil {
			t.Errorf("%q matches itself (%v)", hash, err)
		}
	}
	if ok, err := p.Matches("", "nobody has this password", true); ok || err != nil {
		t.Errorf("no hash matches (%v)", err)
	}
}

// An account that there is not is compared like one that there is: with hashes of
// the same kinds and costs.
func TestComparingTakesTheSameTime(t *testing.T) {
	ours, _ := NewPasswords().Hash("x")
	theirs, _ := bcrypt.GenerateFromPassword([]byte("x"), bcrypt.DefaultCost)
	cost := func(hash string, legacy bool) string {
		argon, old := toCompare(hash, legacy)
		h, ok := parseArgon(argon)
		n, _ := bcrypt.Cost([]byte(old))
		return fmt.Sprint(h.memory, h.passes, h.threads, len(h.salt), len(h.key), ok, n)
	}
	if none, one := cost("", false), cost(ours, false); none != one || none != fmt.Sprint(hashMemory, hashPasses, hashThreads, hashSalt, hashBytes, true, 0) {
		t.Errorf("no account %s, an account %s", none, one)
	}
	none, one, old := cost("", true), cost(ours, true), cost(string(theirs), true)
	if none != one || none != old || !strings.HasSuffix(none, fmt.Sprint(" ", bcrypt.DefaultCost)) {
		t.Errorf("no account %s, an account %s, one from elsewhere %s", none, one, old)
	}
}

// A flood is turned away instead of piling up.
func TestPasswordsAreBusy(t *testing.T) {
	p := NewPasswords()
	held := make(chan struct{})
	var began, ended sync.WaitGroup
	for range cap(p.slots) {
		began.Add(1)
		ended.Go(func() { p.work(func() { began.Done(); <-held }) })
	}
	began.Wait()
	for range cap(p.queue) - cap(p.slots) {
		p.queue <- struct{}{}
	}
	if _, err := p.Hash("x"); err == nil {
		t.Error("there is no end to who may wait")
	}
	if _, err := p.Matches("", "x", false); err == nil {
		t.Error("there is no end to who may wait")
	}
	close(held)
	ended.Wait()
	if cap(p.slots) > max(1, runtime.GOMAXPROCS(0)/2) {
		t.Error("hashing takes more than half of the processors")
	}
}
