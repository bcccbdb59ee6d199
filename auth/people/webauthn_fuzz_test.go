package people

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"testing"
)

// FuzzPasskey: a new passkey answers the challenge, at the page and the host that were
// asked, and its authenticator has seen its owner; or it is refused as one that is not
// known. Nobody signs in without the signature of its key.
func FuzzPasskey(f *testing.F) {
	party := RelyingParty{"https://cms.example.org"}
	challenge := []byte("0123456789abcdef0123456789abcdef")
	client := `{"type":"webauthn.create","challenge":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY","origin":"https://cms.example.org","crossOrigin":false}`
	host := sha256.Sum256([]byte("cms.example.org"))
	id := []byte("passkey")
	data := append(append(host[:], 69, 0, 0, 0, 1), append(make([]byte, 16), 0, byte(len(id)))...)
	data = append(data, id...)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(f, err)
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	check(f, err)
	f.Add([]byte(client), data, id, der, []byte{0x30, 6, 2, 1, 1, 2, 1, 1})
	f.Add([]byte(client), data[:len(data)-1], id, der[1:], []byte{})
	f.Add([]byte(`{"type":null,"challenge":7}`), data[:36], []byte{}, []byte{0x30, 0x84, 0xff, 0xff, 0xff, 0xff}, []byte{0x30, 0x80})
	f.Fuzz(func(t *testing.T, client, data, id, der, signature []byte) {
		n := NewPasskey{ID: id, ClientData: client, AuthData: data, Key: der, Party: party}
		p, err := n.check(challenge)
		if err != nil {
			refusedPasskey(t, err)
		} else {
			said := map[string]any{}
			if err := json.Unmarshal(client, &said); err != nil {
				t.Fatalf("%q is taken: %v", client, err)
			}
			if !bytes.HasPrefix(data, host[:]) || data[32]&(1|4|64) != 1|4|64 || !bytes.Contains(data[55:], id) || len(id) == 0 {
				t.Errorf("%x is taken as of %x", data, id)
			}
			if _, err := readPasskey(stored(t, p)); err != nil {
				t.Errorf("what is stored is not read: %v", err)
			}
		}
		if err := checkSignature(&private.PublicKey, data, client, signature); err == nil {
			t.Errorf("%x signs", signature)
		} else {
			refusedPasskey(t, err)
		}
	})
}

// refusedPasskey wants an error that clients hear no details of.
func refusedPasskey(t *testing.T, err error) {
	t.Helper()
	if _, ok := err.(*passkeyFault); !ok || fmt.Sprint(err) == "" {
		t.Errorf("it is refused with %v", err)
	}
}

// stored is a passkey of some account with the key of its record.
func stored(t *testing.T, p *passkey) (string, []byte) {
	t.Helper()
	p.Account = "0123456789abcdef"
	value, err := json.Marshal(p)
	check(t, err)
	return passkeyKey(p.Account, p.ID), value
}
