package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"quire/media/mediatest"
	"quire/schema/settings"
)

// newBucketClient serves a site whose files are in a bucket of an object store in memory.
func newBucketClient(t *testing.T, serve string) (c *client, s *mediatest.S3, local func() []string) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "quire")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not-to-be-seen")
	s = mediatest.NewS3(t)
	rules := pictureRules(false)
	rules.Storage = settings.Storage{Bucket: "s3://guide/files", Endpoint: s.URL, Region: "us-east-1", PathStyle: true, InUse: true}
	rules.Serve = serve
	c, local = newUploadClient(t, rules)
	return c, s, local
}

// Clients of the API notice no difference between a bucket and the folder.
func TestFilesInABucket(t *testing.T) {
	c, s, local := newBucketClient(t, settings.ServeHere)
	stored := c.uploaded(part{"files", "photo.png", photo(t)})[0]
	if keys := s.Keys(); len(keys) != 3 || !strings.HasPrefix(keys[0], "guide/files/photo_") || len(local()) != 0 {
		t.Errorf("in the bucket %v, in the folder %v", keys, local())
	}
	whole := c.send("", "GET", stored.URL, "")
	if whole.status != 200 || whole.body != photo(t) || whole.header.Get("Content-Type") != "image/png" {
		t.Errorf("%d, %d bytes", whole.status, len(whole.body))
	}
	if a := c.send("", "GET", stored.URL, "", "Range", "bytes=1-3"); a.status != 206 || a.body != "PNG" {
		t.Errorf("a range: %d %q", a.status, a.body)
	}
	if a := c.send("", "GET", stored.URL, "", "If-None-Match", whole.header.Get("ETag")); a.status != 304 {
		t.Errorf("asked again: %d", a.status)
	}
	if a := c.send("", "GET", stored.Formats["thumbnail"].URL, ""); shape(t, a) != "png 234×156" {
		t.Errorf("the thumbnail: %s", shape(t, a))
	}
	if a := c.send("", "GET", stored.URL+"?w=320", ""); a.status != 200 || a.header.Get("Content-Type") != "image/png" {
		t.Errorf("a picture on demand: %d", a.status)
	}
	if a := c.send("full", "PUT", "/api/upload/files/"+stored.DocumentID+"/edit", `{"rotate": 90}`); a.status != 200 {
		t.Errorf("turned: %d %s", a.status, a.body)
	}
	if a := c.send("", "GET", stored.URL, ""); shape(t, a) != "png 400×600" {
		t.Errorf("turned: %s", shape(t, a))
	}
	if a := c.send("full", "DELETE", "/api/upload/files/"+stored.DocumentID+"/edit", ""); a.status != 200 {
		t.Errorf("turned back: %d %s", a.status, a.body)
	}
	if a := c.upload("/api/upload?id="+stored.DocumentID, part{"files", "note.txt", "a note"}); a.status != 200 {
		t.Errorf("replaced: %d %s", a.status, a.body)
	}
	if a := c.send("", "GET", stored.URL, ""); a.body != "a note" || len(s.Keys()) != 1 {
		t.Errorf("replaced: %q, %v", a.body, s.Keys())
	}
	if a := c.send("full", "DELETE", "/api/upload/files/"+stored.DocumentID, ""); a.status != 200 || len(s.Keys()) != 0 || len(local()) != 0 {
		t.Errorf("deleted: %d, %v, %v", a.status, s.Keys(), local())
	}
}

// Browsers are redirected to the object store for files that are only displayed, and get
// all others from the server.
func TestFilesAreServedByTheObjectStore(t *testing.T) {
	c, s, _ := newBucketClient(t, settings.ServeRedirect)
	files := c.uploaded(part{"files", "photo.png", photo(t)}, part{"files", "page.html", "<!DOCTYPE html><script>alert(1)</script>"})
	a := c.send("", "GET", files[0].URL, "")
	to, err := url.Parse(a.header.Get("Location"))
	check(t, err)
	requested := to.Query()
	if a.status != 302 || !strings.HasPrefix(to.String(), s.URL+"/guide/files/photo_") || requested.Get("X-Amz-Expires") != "300" || a.header.Get("Cache-Control") != "public, max-age=60" ||
		requested.Get("response-content-type") != "image/png" || !strings.HasPrefix(requested.Get("response-content-disposition"), "inline; ") || strings.Contains(to.String(), "not-to-be-seen") {
		t.Errorf("%d, to %s", a.status, to)
	}
	response, err := http.Get(to.String())
	check(t, err)
	response.Body.Close()
	if response.StatusCode != 200 || response.ContentLength != int64(len(photo(t))) {
		t.Errorf("there: %d, %d bytes", response.StatusCode, response.ContentLength)
	}
	if a := c.send("", "HEAD", files[0].URL, ""); a.status != 200 || a.header.Get("Content-Length") != fmt.Sprint(len(photo(t))) {
		t.Errorf("HEAD: %d, %v", a.status, a.header)
	}
	if a := c.send("", "GET", files[0].Formats["thumbnail"].URL, ""); a.status != 302 {
		t.Errorf("a format: %d", a.status)
	}
	if a := c.send("", "GET", files[1].URL, ""); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Security-Policy"), "sandbox;") {
		t.Errorf("a page: %d, %v", a.status, a.header)
	}
	if a := c.send("", "GET", "/uploads/nothing.png", ""); a.status != 404 || a.header.Get("Location") != "" {
		t.Errorf("what is not there: %d", a.status)
	}
	if a := c.send("", "GET", files[0].URL+"?w=320", ""); a.status != 200 {
		t.Errorf("a picture on demand: %d", a.status)
	}
	c, s, _ = newBucketClient(t, "https://files.example.org/guide")
	stored := c.uploaded(part{"files", "photo.png", photo(t)})[0]
	name := strings.TrimPrefix(s.Keys()[0], "guide/files/")
	if a := c.send("", "GET", stored.URL, ""); a.status != 302 || a.header.Get("Location") != "https://files.example.org/guide/"+name {
		t.Errorf("%d, to %s", a.status, a.header.Get("Location"))
	}
}

// While the object store fails, no file gets a record, and everything without files
// continues to work.
func TestTheObjectStoreFails(t *testing.T) {
	c, s, local := newBucketClient(t, settings.ServeHere)
	stored := c.uploaded(part{"files", "a.txt", "a"})[0]
	for _, one := range []struct {
		fault  mediatest.Fault
		status int
	}{
		{mediatest.Fault{Status: 403, Code: "AccessDenied"}, 503},
		{mediatest.Fault{Status: 404, Code: "NoSuchBucket"}, 503},
		{mediatest.Fault{Status: 507, Code: "QuotaExceeded"}, 507},
	} {
		s.FailWith(func(*http.Request) *mediatest.Fault { return &one.fault })
		a := c.upload("/api/upload", part{"files", "b.txt", "b"})
		if a.status != one.status || strings.Contains(a.body, "guide") || strings.Contains(a.body, one.fault.Code) || one.status == 503 && a.header.Get("Retry-After") == "" {
			t.Errorf("%+v: %d %s", one.fault, a.status, a.body)
		}
		a = c.upload("/api/upload?id="+stored.DocumentID, part{"files", "b.txt", "b"})
		if a.status != one.status {
			t.Errorf("%+v, replaced: %d %s", one.fault, a.status, a.body)
		}
	}
	s.FailWith(func(*http.Request) *mediatest.Fault { return &mediatest.Fault{Status: 403, Code: "AccessDenied"} })
	if a := c.send("", "GET", stored.URL, ""); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("the file: %d %s", a.status, a.body)
	}
	if a := c.send("full", "GET", "/api/upload/files", ""); a.status != 200 || len(a.records(t)) != 1 {
		t.Errorf("the list: %d %s", a.status, a.body)
	}
	s.FailWith(nil)
	if a := c.send("", "GET", stored.URL, ""); a.status != 200 || a.body != "a" {
		t.Errorf("later: %d %q", a.status, a.body)
	}
	here := slices.DeleteFunc(local(), func(name string) bool { return strings.HasPrefix(name, ".upload-claim-") }) // to be checked later
	if keys := s.Keys(); len(keys) != 1 || len(here) != 0 {
		t.Errorf("left: %v, %v", keys, here)
	}
}
