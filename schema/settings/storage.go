package settings

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"quire/schema/source"
)

// Storage says where files are: in the folder of uploads, or in a bucket of an object
// store. While files move from one to the other, each has some of them.
type Storage struct {
	Bucket      string // "s3://guide/files": the bucket, and a prefix in it; empty for none
	Endpoint    string // the web address of the object store, without a path
	Region      string
	PathStyle   bool   // the bucket is in the path of an address, and not in its host
	Credentials string // a file with the credentials; empty for the environment
	InUse       bool   // new files go to the bucket, otherwise to the folder
}

// Name returns the name of the bucket.
func (s *Storage) Name() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(s.Bucket, bucketScheme), "/")
	return name
}

// Prefix returns the beginning of the keys of all files in the bucket: empty, or ending in
// "/".
func (s *Storage) Prefix() string {
	_, prefix, _ := strings.Cut(strings.TrimPrefix(s.Bucket, bucketScheme), "/")
	if prefix == "" {
		return ""
	}
	return prefix + "/"
}

// How the files of a bucket reach browsers.
const (
	ServeHere     = "quire"    // through this server
	ServeRedirect = "redirect" // from the object store, at addresses that are valid for a while
)

const bucketScheme = "s3://"

// bucketAddress is a bucket and a prefix. No part of the prefix begins with a dot, so that
// none leads elsewhere.
var bucketAddress = regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

// longestBucket limits the address of a bucket, so that keys are not too long for object
// stores.
const longestBucket = 500

// read reads "storage": {"bucket": "s3://guide/files", "endpoint": "https://s3.example.org",
// "region": "eu-central-1", "pathStyle": true, "credentials": "/etc/quire/s3.json", "use": "bucket"}.
func (s *Storage) read(o source.Object) {
	o.Only(append(bucketKeys, "use")...)
	s.readUse(o)
	s.readBucket(o, s.InUse)
	s.InUse = s.InUse && s.Bucket != ""
}

// bucketKeys are the keys that describe a bucket.
var bucketKeys = []string{"bucket", "endpoint", "region", "pathStyle", "credentials"}

// readBucket reads these keys. needed says that there must be a bucket.
func (s *Storage) readBucket(o source.Object, needed bool) {
	s.Bucket, s.Endpoint, s.Credentials = o.Text("bucket"), o.Text("endpoint"), o.Text("credentials")
	s.PathStyle = o.Flag("pathStyle", false)
	if s.Region = o.Text("region"); s.Region == "" && s.Bucket != "" {
		s.Region = "us-east-1"
	}
	if s.Bucket == "" {
		if needed || s.Endpoint != "" {
			o.RefuseAt("bucket", "is missing", `write it like "s3://guide/files", or take this out`)
		}
		return
	}
	if len(s.Bucket) > longestBucket || !bucketAddress.MatchString(s.Bucket) {
		o.RefuseAt("bucket", fmt.Sprintf("%.100q is no bucket", s.Bucket), `write it like "s3://guide", or "s3://guide/files" for a part of one`)
	}
	if !isOrigin(s.Endpoint) {
		o.RefuseAt("endpoint", "must be the address of the object store", `write it like "https://s3.eu-central-1.amazonaws.com", without a path, a user or a password`)
	}
	if s.Credentials != "" && !filepath.IsAbs(s.Credentials) {
		o.RefuseAt("credentials", "is no whole path", `name a file outside of the site folder, like "/etc/quire/s3.json"`)
	}
}

func (s *Storage) readUse(o source.Object) {
	switch use := o.Text("use"); use {
	case "":
		s.InUse = o.Text("bucket") != ""
	case "bucket":
		s.InUse = true
	case "folder":
	default:
		o.RefuseAt("use", fmt.Sprintf("%.100q is neither", use), `write "bucket" or "folder": it takes what arrives, and what is in the other is found there`)
	}
}

// isOrigin reports whether a text is a web address of only a scheme and a host.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		(u.Path == "" || u.Path == "/") && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// readServe reads "serve": "quire", "redirect" or "https://files.example.org/guide".
func (u *Upload) readServe(o source.Object) {
	u.Serve = o.Text("serve")
	switch {
	case u.Serve == "":
		u.Serve = ServeHere
	case u.Serve == ServeHere:
	case !isAddress(u.Serve) && u.Serve != ServeRedirect:
		o.RefuseAt("serve", fmt.Sprintf("%.100q is not known", u.Serve), `write "quire", "redirect", or where the bucket is public, like "https://files.example.org/guide"`)
	case u.Storage.Bucket == "":
		o.RefuseAt("serve", "needs a bucket", "name one in upload.storage, or take this out")
	}
	u.Serve = strings.TrimSuffix(u.Serve, "/")
}

// IsPublic reports whether anybody can read the files at an address of the bucket.
func (u *Upload) IsPublic() bool { return isAddress(u.Serve) }

// isAddress reports whether a text is a web address to which names can be appended.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= longestAddress && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

func (u *Upload) showStorage() []Shown {
	s := &u.Storage
	use := "folder"
	if s.InUse {
		use = "bucket"
	}
	return []Shown{
		{Key: "upload.storage.use", Value: use}, {Key: "upload.storage.bucket", Value: textOrNone(s.Bucket)},
		{Key: "upload.storage.endpoint", Value: textOrNone(s.Endpoint)}, {Key: "upload.storage.region", Value: textOrNone(s.Region)},
		{Key: "upload.storage.pathStyle", Value: s.PathStyle}, {Key: "upload.storage.credentials", Kept: true},
		{Key: "upload.serve", Value: u.Serve},
	}
}
