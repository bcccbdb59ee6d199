package auth_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"quire/auth"
)

func TestHashIsArgon2id(t *testing.T) {
	hasher := auth.NewPasswords()
	first, err := hasher.Hash("open sesame")
	if err != nil {
		t.Fatal(err)
	}
	second, _ := hasher.Hash("open sesame")
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
