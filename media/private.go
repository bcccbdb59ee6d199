package media

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"quire/schema"
)

// Private files are opened by signed addresses alone: "/uploads/NAME?access=EXPIRES.SIGNATURE",
// where EXPIRES is in unix seconds. The signature is for the NAME and the time, so that it opens
// no other file and no other format.

// AccessKey is the parameter that opens a private file.
const AccessKey = "access"

const (
	signatureBytes = 16 // of an HMAC with SHA-256

	// periods is the number of periods in the lifetime of an address. Addresses are the same
	// within a period, so that responses and caches do not change with each request.
	periods = 3
)

// PrivateFiles signs and checks the addresses of private files. It is safe for use by many
// goroutines.
type PrivateFiles struct {
	key  func(purpose string) []byte
	life int64 // seconds
	now  func() time.Time
}

// NewPrivateFiles returns what signs the addresses of a site. They live for upload.privateSeconds at
// most, and for two thirds of that at least. key returns a secret for a purpose, which is the
// same on all nodes of the site.
func NewPrivateFiles(site *schema.Site, key func(purpose string) []byte, now func() time.Time) *PrivateFiles {
	return &PrivateFiles{key, max(periods, int64(site.Settings.Upload.PrivateLife/time.Second)), now}
}

// Period identifies the time in which addresses are the same.
func (a *PrivateFiles) Period() int64 { return a.now().Unix() / (a.life / periods) }

// AppendAccess appends what opens the file with the url /uploads/NAME, to follow the url;
// nothing for a file that is elsewhere.
func (a *PrivateFiles) AppendAccess(dst []byte, url string) []byte {
	name, ours := strings.CutPrefix(url, urlPrefix)
	if !ours {
		return dst
	}
	expires := strconv.FormatInt(a.Period()*(a.life/periods)+a.life, 10)
	dst = append(append(dst, "?"+AccessKey+"="...), expires...)
	return base64.RawURLEncoding.AppendEncode(append(dst, '.'), a.signature(name, expires))
}

func (a *PrivateFiles) signature(name, expires string) []byte {
	mac := hmac.New(sha256.New, a.key("addresses of private files"))
	mac.Write([]byte(name + "\n" + expires)) // no name has an end of line
	return mac.Sum(nil)[:signatureBytes]
}

// Left returns for how many seconds the value of the parameter still opens the file with the
// url /uploads/NAME; 0 if it does not.
func (a *PrivateFiles) Left(name, value string) int64 {
	expires, signature, _ := strings.Cut(value, ".")
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || strings.ContainsAny(signature, "\r\n") || !hmac.Equal(given, a.signature(name, expires)) {
		return 0
	}
	moment, err := strconv.ParseInt(expires, 10, 64)
	if err != nil {
		return 0
	}
	return max(0, moment-a.now().Unix())
}

// IsPrivate reports whether only a signed address opens the file with the url /uploads/NAME. It is
// false if there is no such file.
func (l *Library) IsPrivate(name string) bool {
	served, ok := l.locate(l.index.Snapshot(), name)
	return ok && served.private
}
