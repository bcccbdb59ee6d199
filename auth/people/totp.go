package people

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The codes of apps (RFC 6238) are computed from a secret and the time in steps of 30
// seconds. All apps support SHA-1 and six digits, and some nothing else; SHA-1 is as good
// as others for this.

const (
	codeDigits  = 6
	codeStep    = 30 // seconds
	secretBytes = 20
)

// codeAt returns the code of one step.
func codeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	from := sum[len(sum)-1] & 15
	number := binary.BigEndian.Uint32(sum[from:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", codeDigits, number%1_000_000)
}

// stepOfCode finds the step of a code: the current one, the one before or the one after,
// for clocks that differ.
func stepOfCode(secret []byte, code string, now time.Time) (step int64, ok bool) {
	current := now.Unix() / codeStep
	for at := current - 1; at <= current+1; at++ {
		if hmac.Equal([]byte(codeAt(secret, at)), []byte(code)) {
			step, ok = at, true
		}
	}
	return step, ok
}

// codeURL returns the text of the QR code for an app: the secret, the account and the site.
func codeURL(secret []byte, site, email string) string {
	values := url.Values{"secret": {letters.EncodeToString(secret)}, "issuer": {site}}
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + site + ":" + email, RawQuery: strings.ReplaceAll(values.Encode(), "+", "%20")}
	return u.String()
}
