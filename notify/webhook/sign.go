package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Deliveries are signed as in Standard Webhooks: HMAC-SHA256 over the id of the delivery,
// the time of the attempt and the body, with a secret that the receiver has.

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	// formerLasts is how long the former secret also signs after a rotation.
	formerLasts = 24 * time.Hour
)

// newSecret returns a new secret.
func newSecret() string {
	key := make([]byte, secretBytes)
	rand.Read(key) // never fails
	return SecretOf(key)
}

// Sign sets the headers of a delivery, with which a holder of one of the secrets can check
// who sends a body, and when. id is the id of the request.
func Sign(h http.Header, secrets []string, id string, at time.Time, body []byte) {
	h.Set(idHeader, id)
	h.Set(timeHeader, timestamp(at))
	h.Set(signedHeader, signature(secrets, id, at, body))
}

// ParseSecret checks a secret in text form: "whsec_" and 24 to 64 bytes in base64.
func ParseSecret(text string) error {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return errors.New("a secret is whsec_ and 24 to 64 bytes in base64")
	}
	return nil
}

// SecretOf returns the text form of the secret with a key.
func SecretOf(key []byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(key) }

// signature returns the header webhook-signature for a message: a signature with each
// secret.
func signature(secrets []string, id string, at time.Time, body []byte) string {
	var signed []string
	for _, secret := range secrets {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp(at) + "."))
		mac.Write(body)
		signed = append(signed, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signed, " ")
}

// timestamp returns a time in the form of the header webhook-timestamp.
func timestamp(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
