package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"quire/schema/settings"
)

func TestStream(t *testing.T) {
	if s := readSettings(t, `{}`).Backup.Stream; s.InUse() {
		t.Errorf("by default: %+v", s)
	}
	s := readSettings(t, `{"backup": {"stream": {"folder": "/mnt/other/guide", "keyFile": "/etc/quire/stream.key", "queueBytes": 2000000, "check": "@weekly"}}}`).Backup.Stream
	if s != (settings.CommitStream{Folder: "/mnt/other/guide", KeyFile: "/etc/quire/stream.key", Queue: 2_000_000, Check: "@weekly"}) || !s.InUse() {
		t.Errorf("%+v", s)
	}
	s = readSettings(t, `{"backup": {"stream": {"bucket": "s3://guide/stream", "endpoint": "https://s3.example.org", "credentials": "/etc/quire/s3.json"}}}`).Backup.Stream
	if s.Storage != (settings.Storage{Bucket: "s3://guide/stream", Endpoint: "https://s3.example.org", Region: "us-east-1", Credentials: "/etc/quire/s3.json"}) || !s.InUse() || s.Queue != 1<<30 {
		t.Errorf("%+v", s)
	}
}

func TestStreamToAServer(t *testing.T) {
	for _, address := range []string{"https://vault.example.org/guide", "https://vault.example.org:8443/g-2", "http://127.0.0.1:1337/guide", "http://localhost/guide", "http://[::1]:1337/guide"} {
		s := readSettings(t, `{"backup": {"stream": {"server": "`+address+`", "tokenFile": "/etc/quire/stream.token"}}}`).Backup.Stream
		if s != (settings.CommitStream{Server: address, TokenFile: "/etc/quire/stream.token", Queue: 1 << 30}) || !s.InUse() {
			t.Errorf("%s: %+v", address, s)
		}
	}
}

func TestStoredStreams(t *testing.T) {
	s := readSettings(t, `{"streams": {"names": ["guide", "shop-2"], "bytes": 2000000}}`).Streams
	if len(s.Names) != 2 || s.Names[0] != "guide" || s.Names[1] != "shop-2" || s.Bytes != 2_000_000 {
		t.Errorf("%+v", s)
	}
	many := `"a0"`
	for n := range 100 {
		many += fmt.Sprintf(`, "b%d"`, n)
	}
	for text, want := range map[string]string{
		`{"names": ["Guide"]}`:      "is no name of a stream",
		`{"names": [".."]}`:         "is no name of a stream",
		`{"names": ["a/b"]}`:        "is no name of a stream",
		`{"names": ["a", "a"]}`:     "is there twice",
		`{"names": [1]}`:            "must be a text",
		`{"names": [` + many + `]}`: "is one name too many",
		`{"bytes": 1}`:              "must be a whole number from 1048576",
		`{"folder": "/mnt"}`:        "is not a setting",
	} {
		if _, err := tryToRead(`{"streams": ` + text + `}`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestStreamProblems(t *testing.T) {
	for text, want := range map[string]string{
		`true`:                             "backup.stream must be an object",
		`{}`:                               "backup.stream.folder is missing",
		`{"folder": ""}`:                   "backup.stream.folder is missing",
		`{"folder": 1}`:                    "backup.stream.folder must be a text",
		`{"queueBytes": 2000000}`:          "backup.stream.folder is missing",
		`{"folder": "f", "keyFile": "k"}`:  "backup.stream.keyFile is no whole path",
		`{"folder": "f", "queueBytes": 1}`: "backup.stream.queueBytes must be a whole number from 1048576",
		`{"folder": "f", "check": "now"}`:  `backup.stream.check "now" is not a schedule`,
		`{"server": "https://vault.example.org", "tokenFile": "/t"}`:                         "is not the address of a stream",
		`{"server": "https://vault.example.org/a/b", "tokenFile": "/t"}`:                     "is not the address of a stream",
		`{"server": "https://vault.example.org/Guide", "tokenFile": "/t"}`:                   "is not the address of a stream",
		`{"server": "https://me:secret@vault.example.org/guide", "tokenFile": "/t"}`:         "is not the address of a stream",
		`{"server": "ftp://vault.example.org/guide", "tokenFile": "/t"}`:                     "is not the address of a stream",
		`{"server": "http://vault.example.org/guide", "tokenFile": "/t"}`:                    "would send the token and the content unencrypted",
		`{"server": "https://vault.example.org/guide"}`:                                      "backup.stream.tokenFile is missing",
		`{"server": "https://vault.example.org/guide", "tokenFile": "t"}`:                    "backup.stream.tokenFile is no whole path",
		`{"folder": "f", "server": "https://vault.example.org/guide", "tokenFile": "/t"}`:    "is one target too many",
		`{"folder": "f", "tokenFile": "/t"}`:                                                 "backup.stream.server is missing",
		`{"tokenFile": "/t"}`:                                                                "backup.stream.folder is missing",
		`{"folder": "f", "use": "bucket"}`:                                                   `"use" is not a setting`,
		`{"bucket": "guide", "endpoint": "https://s3.example.org"}`:                          "is no bucket",
		`{"bucket": "s3://guide"}`:                                                           "backup.stream.endpoint must be the address of the object store",
		`{"endpoint": "https://s3.example.org"}`:                                             "backup.stream.bucket is missing",
		`{"folder": "f", "bucket": "s3://guide", "endpoint": "https://s3.example.org"}`:      "is one target too many",
		`{"bucket": "s3://guide", "endpoint": "https://s3.example.org", "credentials": "c"}`: "backup.stream.credentials is no whole path",
	} {
		_, err := tryToRead(`{"backup": {"stream": ` + text + `}}`)
		if err == nil || !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), ":", "")), " "), strings.ReplaceAll(want, ":", "")) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
