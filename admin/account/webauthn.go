package account

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// What browsers answer about passkeys, as WebAuthn Level 3 has it. Who made an
// authenticator is not asked ("attestation": "none"), so that nothing of a registration is
// signed but by its first use, and the browser says the public key in the form of X.509.

// passkeyFault refuses what a browser answers about a passkey. Clients hear no more than
// ErrPasskey; the log has the rest.
type passkeyFault struct{ what string }

func (e *passkeyFault) Error() string { return e.what }

func (e *passkeyFault) Is(target error) bool { return target == ErrPasskey }

// ErrPasskey refuses a passkey, without a word about what is wrong.
var ErrPasskey = errors.New("this passkey is not known here")

func faulty(format string, args ...any) error {
	return &passkeyFault{fmt.Sprintf(format, args...)}
}

// RelyingParty is what passkeys belong to: the address at which the browser has the admin.
type RelyingParty struct {
	Origin string // as the browser says it: "https://cms.example.org"
}

// PartyAt is the relying party of a web address, as browsers say its origin: in small
// letters, and without a port that goes without saying.
func PartyAt(address string) RelyingParty {
	u, err := url.Parse(strings.ToLower(address))
	if err != nil {
		return RelyingParty{}
	}
	host := u.Host
	if port := u.Port(); port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return RelyingParty{Origin: u.Scheme + "://" + host}
}

// ID is the name of the host, which passkeys are bound to.
func (p RelyingParty) ID() string {
	u, err := url.Parse(p.Origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// The kinds of what browsers answer.
const (
	kindCreate = "webauthn.create"
	kindGet    = "webauthn.get"
)

// clientData is what the browser says of a ceremony.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

// checkClientData holds what the browser says against what it was asked, and where.
func checkClientData(raw []byte, kind string, challenge []byte, p RelyingParty) error {
	var d clientData
	if err := json.Unmarshal(raw, &d); err != nil {
		return faulty("the browser's data cannot be read: %v", err)
	}
	said, err := base64.RawURLEncoding.DecodeString(d.Challenge)
	switch {
	case d.Type != kind:
		return faulty("it is of the kind %q, not %q", d.Type, kind)
	case err != nil || subtle.ConstantTimeCompare(said, challenge) == 0:
		return faulty("it answers another challenge")
	case d.Origin != p.Origin || d.CrossOrigin:
		return faulty("it comes from the page %q, not %q", d.Origin, p.Origin)
	}
	return nil
}

// What the flags of an authenticator say, and how long what it says is at least.
const (
	userPresent   = 1 << 0
	userVerified  = 1 << 2
	hasCredential = 1 << 6

	leastAuthData = sha256.Size + 1 + 4
)

// checkAuthData holds what an authenticator says against whom it is for: it has seen its
// owner, and made sure by a fingerprint, a face or a PIN who it is. It returns how often
// the passkey was used, 0 where the authenticator does not count.
func checkAuthData(data []byte, p RelyingParty) (uses uint32, err error) {
	if len(data) < leastAuthData {
		return 0, faulty("the authenticator's data has %d bytes", len(data))
	}
	party, flags := sha256.Sum256([]byte(p.ID())), data[sha256.Size]
	switch {
	case !bytes.Equal(data[:sha256.Size], party[:]):
		return 0, faulty("it is for another host than %q", p.ID())
	case flags&userPresent == 0 || flags&userVerified == 0:
		return 0, faulty("the authenticator has not made sure who uses it")
	}
	return binary.BigEndian.Uint32(data[sha256.Size+1:]), nil
}

// credentialIn returns the id of the passkey that a registration is about.
func credentialIn(data []byte) ([]byte, error) {
	const at = leastAuthData + 16 // after the id of the model
	if data[sha256.Size]&hasCredential == 0 || len(data) < at+2 {
		return nil, faulty("the registration has no passkey")
	}
	n := int(binary.BigEndian.Uint16(data[at:]))
	if n == 0 || n > longestCredential || len(data) < at+2+n {
		return nil, faulty("the id of the passkey has %d bytes", n)
	}
	return data[at+2 : at+2+n], nil
}

// parseKey reads a public key of one of the kinds that are asked for.
func parseKey(der []byte) (crypto.PublicKey, error) {
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, faulty("the public key cannot be read: %v", err)
	}
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return k, nil
		}
	case ed25519.PublicKey:
		return k, nil
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits >= 2048 && bits <= 4096 {
			return k, nil
		}
	}
	return nil, faulty("the public key is of a kind that was not asked for")
}

// verify checks the signature of an authenticator over what it and the browser say.
func verify(key crypto.PublicKey, authData, client, signature []byte) error {
	hash := sha256.Sum256(client)
	signed := append(bytes.Clone(authData), hash[:]...)
	digest := sha256.Sum256(signed)
	ok := false
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		ok = ecdsa.VerifyASN1(k, digest[:], signature)
	case ed25519.PublicKey:
		ok = ed25519.Verify(k, signed, signature)
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(k, crypto.SHA256, digest[:], signature) == nil
	}
	if !ok {
		return faulty("the signature is not that of the passkey")
	}
	return nil
}
