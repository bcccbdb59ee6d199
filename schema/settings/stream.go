package settings

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"quire/schema/source"
)

// CommitStream has the settings of site.json under "backup.stream": where every commit is copied
// to.
type CommitStream struct {
	Folder    string  // on another disk; empty for a bucket, a server or no stream
	Storage   Storage // the bucket
	Server    string  // the address of a stream that another Quire stores: "https://vault.example.org/guide"; empty for none
	TokenFile string  // a file with the token for that server
	KeyFile   string  // a file with the passphrase that encrypts the stream; empty for none
	Queue     int64   // how much may wait on this disk while the target accepts nothing, in bytes
	Check     string  // when the stream is checked and restored into a temporary folder, as in Backup.Schedule; empty for never
}

// InUse reports whether there is a stream.
func (s *CommitStream) InUse() bool {
	return s.Folder != "" || s.Storage.Bucket != "" || s.Server != ""
}

// leastQueue is the minimum of queueBytes.
const leastQueue = 1 << 20

// read reads "stream": {"folder": "/mnt/other/my-site", "keyFile": "/etc/quire/stream.key"}, or
// a bucket with the keys of upload.storage or another server instead of the folder.
func (s *CommitStream) read(o source.Object) {
	o.Only(append(bucketKeys, "folder", "server", "tokenFile", "keyFile", "queueBytes", "check")...)
	s.Folder, s.KeyFile = o.Text("folder"), o.Text("keyFile")
	s.Storage.readBucket(o, false)
	s.readServer(o)
	s.Queue = int64(o.Whole("queueBytes", leastQueue, int(s.Queue)))
	if s.KeyFile != "" && !filepath.IsAbs(s.KeyFile) {
		o.RefuseAt("keyFile", "is no whole path", `name a file outside of the site folder, like "/etc/quire/stream.key"`)
	}
	if v, ok := o.Get("check"); ok {
		s.Check = readSchedule(v)
	}
	switch _, given := o.Get("folder"); {
	case s.Folder != "" && s.Storage.Bucket != "":
		o.RefuseAt("folder", "is one target too many", "name a folder or a bucket")
	case s.Server != "" && (given || s.Storage.Bucket != ""):
		o.RefuseAt("server", "is one target too many", "name a folder, a bucket or a server")
	case given && s.Folder == "" || !given && s.Storage.Bucket == "" && s.Server == "" && o.Raw != nil:
		o.RefuseAt("folder", "is missing", `name a folder on another disk, like "/mnt/other/my-site", a bucket or a server`)
	}
}

// streamAddress is the address of a server and the name of a stream there.
var streamAddress = regexp.MustCompile(`^(https?://[^/]+)/([^/]+)$`)

// readServer reads "server": "https://vault.example.org/guide", "tokenFile": "/etc/quire/stream.token".
func (s *CommitStream) readServer(o source.Object) {
	s.Server, s.TokenFile = o.Text("server"), o.Text("tokenFile")
	if s.Server != "" {
		parts := streamAddress.FindStringSubmatch(s.Server)
		switch {
		case parts == nil || !isOrigin(parts[1]) || !streamName.MatchString(parts[2]):
			o.RefuseAt("server", fmt.Sprintf("%.100q is not the address of a stream", s.Server), `write the server and the name of the stream there, like "https://vault.example.org/guide"`)
		case strings.HasPrefix(s.Server, "http:") && !isLocal(parts[1]):
			o.RefuseAt("server", "would send the token and the content unencrypted", "write https")
		case s.TokenFile == "":
			o.RefuseAt("tokenFile", "is missing", `name a file with a token of that server that has plugin::quire.streams.write`)
		}
	}
	if s.TokenFile != "" && s.Server == "" {
		o.RefuseAt("server", "is missing", "name the server that has the token in tokenFile, or take that out")
	}
	if s.TokenFile != "" && !filepath.IsAbs(s.TokenFile) {
		o.RefuseAt("tokenFile", "is no whole path", `name a file outside of the site folder, like "/etc/quire/stream.token"`)
	}
}

// isLocal reports whether the host of an address is this machine by its form alone.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && isLoopback(u.Hostname())
}

// readSchedule reads a schedule.
func readSchedule(v source.Value) string {
	text, ok := v.Text()
	if !ok {
		return ""
	}
	schedule := strings.TrimSpace(text)
	if !isSchedule(schedule) {
		v.Refuse(fmt.Sprintf("%q is not a schedule", text), `write minute, hour, day, month and weekday as in "0 3 * * *", or one of `+strings.Join(cronNames, ", "))
	}
	return schedule
}

func (s *CommitStream) show() []Shown {
	return []Shown{
		{Key: "backup.stream.folder", Kept: true}, {Key: "backup.stream.bucket", Value: textOrNone(s.Storage.Bucket)},
		{Key: "backup.stream.endpoint", Value: textOrNone(s.Storage.Endpoint)}, {Key: "backup.stream.region", Value: textOrNone(s.Storage.Region)},
		{Key: "backup.stream.pathStyle", Value: s.Storage.PathStyle}, {Key: "backup.stream.credentials", Kept: true},
		{Key: "backup.stream.server", Value: textOrNone(s.Server)}, {Key: "backup.stream.tokenFile", Kept: true},
		{Key: "backup.stream.keyFile", Kept: true}, inBytes("backup.stream.queueBytes", s.Queue), {Key: "backup.stream.check", Value: textOrNone(s.Check)},
	}
}
