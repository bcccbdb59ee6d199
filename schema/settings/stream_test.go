package settings_test

import (
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
		`{"folder": "f", "use": "bucket"}`: `"use" is not a setting`,
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
