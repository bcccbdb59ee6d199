package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"quire/schema/source"
)

// Upload says which files the site accepts, and where they are.
type Upload struct {
	SizeLimit int64 // bytes of one file, 200 MiB

	// Allow and Deny are media types, "image/png", or all of one kind, "image/*". A file
	// must be of an allowed type, if Allow has any, and of no denied one. Its type is found
	// from its content.
	Allow, Deny []string

	Pictures Pictures // that are made on request

	Storage Storage // where files are

	// Serve is how the files of a bucket reach browsers: ServeHere, ServeRedirect, or a
	// web address at which the bucket is public, without a slash at its end.
	Serve string

	// PrivateLife is the longest life of an address that opens a private file: 15 minutes.
	PrivateLife time.Duration
}

const defaultSizeLimit = 200 << 20

// Limits of the life of an address of a private file, in seconds: a minute and a week.
const (
	defaultPrivateSeconds = 15 * 60
	leastPrivateSeconds   = 60
	mostPrivateSeconds    = 7 * 24 * 60 * 60
)

var mediaType = regexp.MustCompile(`^[a-z]+/(\*|[a-z0-9][a-z0-9.+-]*(\.\*)?)$`)

// Takes reports whether files of the media type are accepted.
func (u *Upload) Takes(mime string) bool {
	matches := func(pattern string) bool {
		kind, all := strings.CutSuffix(pattern, "*")
		return pattern == mime || all && strings.HasPrefix(mime, kind)
	}
	return (len(u.Allow) == 0 || slices.ContainsFunc(u.Allow, matches)) && !slices.ContainsFunc(u.Deny, matches)
}

// read reads "upload": {"sizeLimit": 209715200, "allow": ["image/*"], "deny": ["image/svg+xml"],
// "pictures": {…}, "storage": {…}, "serve": "quire", "privateSeconds": 900}.
func (u *Upload) read(o source.Object) {
	o.Only("sizeLimit", "allow", "deny", "pictures", "storage", "serve", "privateSeconds")
	u.SizeLimit = int64(o.Whole("sizeLimit", 1, int(u.SizeLimit)))
	u.Allow = mediaTypes(o.Words("allow"))
	u.Deny = mediaTypes(o.Words("deny"))
	u.Pictures.read(o.Object("pictures"))
	u.Storage.read(o.Object("storage"))
	u.readServe(o)
	seconds := o.Whole("privateSeconds", leastPrivateSeconds, int(u.PrivateLife/time.Second))
	if seconds > mostPrivateSeconds {
		o.RefuseAt("privateSeconds", fmt.Sprintf("%d is too long", seconds), fmt.Sprintf("write at most %d, which is a week", mostPrivateSeconds))
	}
	u.PrivateLife = time.Duration(seconds) * time.Second
}

func mediaTypes(words []source.Word) []string {
	var types []string
	for _, w := range words {
		if !mediaType.MatchString(w.Text) {
			w.Refuse(fmt.Sprintf("%q is not a media type", w.Text), `write it like "image/png", or "image/*" for all of a kind`)
			continue
		}
		types = append(types, w.Text)
	}
	return types
}
