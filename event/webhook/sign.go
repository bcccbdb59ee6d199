package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// Deliveries are signed by the convention of Standard Webhooks: HMAC-SHA256 over the id of
// the delivery, the time of the attempt and the body, under a secret that the receiver has.

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	// formerLasts is how long the former secret signs too after a rotation.
	formerLasts = 24 * time.Hour
)

// newSecret makes a secret.
func newSecret() string {
	key := make([]byte, secretBytes)
	rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// signature returns the header webhook-signature for a message: a signature under each
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

// timestamp is a time as the header webhook-timestamp has it.
func timestamp(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
