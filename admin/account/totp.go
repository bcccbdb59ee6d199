package account

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Codes that an app shows, as RFC 6238 has them: of the time in steps of 30 seconds, and a
// secret. All apps know SHA-1 and six digits, and some know nothing else; SHA-1 is as good
// as others for this.

const (
	codeDigits  = 6
	codeStep    = 30 // seconds
	secretBytes = 20
)

// codeAt is the code of one step.
func codeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	from := sum[len(sum)-1] & 15
	number := binary.BigEndian.Uint32(sum[from:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", codeDigits, number%1_000_000)
}

// stepOfCode finds the step of a code: that of now, the one before or the one after, for
// clocks that differ.
func stepOfCode(secret []byte, code string, now time.Time) (step int64, ok bool) {
	current := now.Unix() / codeStep
	for at := current - 1; at <= current+1; at++ {
		if hmac.Equal([]byte(codeAt(secret, at)), []byte(code)) {
			step, ok = at, true
		}
	}
	return step, ok
}

// codeURL is what an app reads of a QR code: the secret, for whom it is and where.
func codeURL(secret []byte, site, email string) string {
	values := url.Values{"secret": {letters.EncodeToString(secret)}, "issuer": {site}}
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + site + ":" + email, RawQuery: strings.ReplaceAll(values.Encode(), "+", "%20")}
	return u.String()
}
