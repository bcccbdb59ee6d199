package people

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

// The responses of browsers about passkeys (WebAuthn Level 3). The maker of an
// authenticator is not requested ("attestation": "none"), so nothing in a registration is
// signed until the first use, and the browser sends the public key in the form of X.509.

// passkeyFault refuses the response of a browser about a passkey. Clients see only
// ErrPasskey; the log has the rest.
type passkeyFault struct{ what string }

func (e *passkeyFault) Error() string { return e.what }

func (e *passkeyFault) Is(target error) bool { return target == ErrPasskey }

// ErrPasskey refuses a passkey, without saying what is wrong.
var ErrPasskey = errors.New("this passkey is not known here")

func faulty(format string, args ...any) error {
	return &passkeyFault{fmt.Sprintf(format, args...)}
}

// RelyingParty is what passkeys belong to: the address at which the browser has the admin.
type RelyingParty struct {
	Origin string // as the browser sends it: "https://cms.example.org"
}

// PartyAt returns the relying party of a web address, in the form of an origin in browsers:
// in lower case, and without a default port.
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

// ID returns the host name, to which passkeys are bound.
func (p RelyingParty) ID() string {
	u, err := url.Parse(p.Origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// The kinds of responses of browsers.
const (
	kindCreate = "webauthn.create"
	kindGet    = "webauthn.get"
)

// clientData is what the browser says about a ceremony.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

// checkClientData checks the client data of a browser against the challenge and the
// address.
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

// The flags of an authenticator, and the minimum length of its data.
const (
	userPresent   = 1 << 0
	userVerified  = 1 << 2
	hasCredential = 1 << 6

	leastAuthData = sha256.Size + 1 + 4
)

// checkAuthData checks the data of an authenticator: it is for this relying party, a user
// was present, and a fingerprint, a face or a PIN verified the user. It returns how often
// the passkey was used, 0 if the authenticator does not count.
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

// credentialIn returns the id of the passkey in a registration.
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

// parseKey reads a public key of one of the requested kinds.
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

// checkSignature checks the signature of an authenticator over its data and the client data.
func checkSignature(key crypto.PublicKey, authData, client, signature []byte) error {
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
