package settings_test

import (
	"strings"
	"testing"

	"quire/schema/settings"
	"quire/schema/source"
)

func TestStorageIsTheFolderByDefault(t *testing.T) {
	u := readSettings(t, `{}`).Upload
	if u.Storage != (settings.Storage{}) || u.Serve != settings.ServeHere {
		t.Errorf("%+v, %s", u.Storage, u.Serve)
	}
}

func TestStorageInABucket(t *testing.T) {
	u := readSettings(t, `{"upload": {"storage": {"bucket": "s3://guide-files/site/a", "endpoint": "https://s3.example.org", "pathStyle": true}, "serve": "https://files.example.org/guide/"}}`).Upload
	s := u.Storage
	if s.Name() != "guide-files" || s.Prefix() != "site/a/" || !s.InUse || !s.PathStyle || s.Region != "us-east-1" || u.Serve != "https://files.example.org/guide" {
		t.Errorf("%+v, %s", s, u.Serve)
	}
	s = readSettings(t, `{"upload": {"storage": {"bucket": "s3://guide", "endpoint": "http://127.0.0.1:9000", "region": "eu", "use": "folder"}, "serve": "redirect"}}`).Upload.Storage
	if s.Name() != "guide" || s.Prefix() != "" || s.InUse || s.Region != "eu" {
		t.Errorf("%+v", s)
	}
}

func TestStorageRefuses(t *testing.T) {
	const good = `"bucket": "s3://guide", "endpoint": "https://s3.example.org"`
	for upload, want := range map[string]string{
		`"storage": {"bucket": "guide", "endpoint": "https://s3.example.org"}`:            "upload.storage.bucket",
		`"storage": {"bucket": "s3://Guide", "endpoint": "https://s3.example.org"}`:       "upload.storage.bucket",
		`"storage": {"bucket": "s3://guide/../b", "endpoint": "https://s3.example.org"}`:  "upload.storage.bucket",
		`"storage": {"bucket": "s3://guide//b", "endpoint": "https://s3.example.org"}`:    "upload.storage.bucket",
		`"storage": {"bucket": "s3://guide/b/", "endpoint": "https://s3.example.org"}`:    "upload.storage.bucket",
		`"storage": {"bucket": "s3://guide"}`:                                             "upload.storage.endpoint",
		`"storage": {"bucket": "s3://guide", "endpoint": "ftp://s3.example.org"}`:         "upload.storage.endpoint",
		`"storage": {"bucket": "s3://guide", "endpoint": "https://me:pw@s3.example.org"}`: "upload.storage.endpoint",
		`"storage": {"bucket": "s3://guide", "endpoint": "https://s3.example.org/path"}`:  "upload.storage.endpoint",
		`"storage": {` + good + `, "credentials": "s3.json"}`:                             "upload.storage.credentials",
		`"storage": {` + good + `, "use": "both"}`:                                        "upload.storage.use",
		`"storage": {` + good + `, "secret": "x"}`:                                        "upload.storage.secret",
		`"storage": {"use": "bucket"}`:                                                    "upload.storage.bucket",
		`"storage": {"endpoint": "https://s3.example.org"}`:                               "upload.storage.bucket",
		`"serve": "redirect"`:                                                  "upload.serve",
		`"storage": {` + good + `}, "serve": "elsewhere"`:                      "upload.serve",
		`"storage": {` + good + `}, "serve": "https://files.example.org/?a=b"`: "upload.serve",
	} {
		problems := &source.Problems{}
		config, _ := source.Parse("site.json", []byte(`{"upload": {`+upload+`}}`), problems)
		settings.Read(config)
		if len(problems.List) != 1 || problems.List[0].Place != want {
			t.Errorf("%s: %+v", upload, problems.List)
		}
	}
}

func TestCredentialsAreNotShown(t *testing.T) {
	shown := showOf(t, `{"upload": {"storage": {"bucket": "s3://guide", "endpoint": "https://s3.example.org", "credentials": "/srv/marker"}}}`)
	if c := shown["upload.storage.credentials"]; !c.Kept || !c.Set || c.Value != nil {
		t.Errorf("%+v", c)
	}
	for key, one := range shown {
		if text, ok := one.Value.(string); ok && strings.Contains(text, "marker") {
			t.Errorf("%s shows %s", key, text)
		}
	}
}
