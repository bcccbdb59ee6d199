package bucket_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/media"
	"quire/media/bucket"
	"quire/media/mediatest"
	"quire/schema/settings"
	"quire/store"
)

const secret = "not-to-be-seen"

// open opens a bucket of an object store in memory.
func open(t *testing.T) (*bucket.Bucket, *mediatest.S3) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "quire")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	s := mediatest.NewS3(t)
	b, err := bucket.New(settings.Storage{Bucket: "s3://guide/files", Endpoint: s.URL, Region: "us-east-1", PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return b, s
}

func arrived(t *testing.T, name, mime, content string) media.LocalFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "arrived")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return media.LocalFile{Path: path, Name: name, Mime: mime}
}

func TestBucketIsAStorage(t *testing.T) {
	b, _ := open(t)
	mediatest.Storage(t, b, t.TempDir())
}

// Keys are the prefix and the name, and what lies beside the prefix is nobody's.
func TestKeysStayInTheirPrefix(t *testing.T) {
	b, s := open(t)
	if err := b.Put(t.Context(), arrived(t, "a_1.html", "text/html", "<p>"), arrived(t, "b_1.jpg", "image/jpeg", "jpeg")); err != nil {
		t.Fatal(err)
	}
	if keys := s.Keys(); !slices.Equal(keys, []string{"guide/files/a_1.html", "guide/files/b_1.jpg"}) {
		t.Errorf("%v", keys)
	}
	if h := s.Header("guide/files/a_1.html"); h.Get("Content-Type") != "text/html" || h.Get("Content-Disposition") != "attachment" {
		t.Errorf("a page: %v", h)
	}
	if h := s.Header("guide/files/b_1.jpg"); h.Get("Content-Type") != "image/jpeg" || h.Get("Content-Disposition") != "" {
		t.Errorf("a picture: %v", h)
	}
	s.Add("guide/other.txt", "x", time.Now())
	s.Add("guide/files/folder/inner.txt", "x", time.Now())
	s.Add("guide/files2/other.txt", "x", time.Now())
	var listed []string
	if err := b.List(t.Context(), func(o media.Object) error { listed = append(listed, o.Name); return nil }); err != nil || len(listed) != 2 {
		t.Errorf("%v, %v", listed, err)
	}
}

// What had the key before is not ours to remove, also where the caller has gone.
func TestWhatWasThereBeforeStays(t *testing.T) {
	b, s := open(t)
	s.Add("guide/files/a_1.txt", "of another node", time.Now())
	s.Add("guide/files/b_1.txt", "of another node", time.Now())
	ctx, cancel := context.WithCancel(t.Context())
	s.FailWith(func(r *http.Request) *mediatest.Fault {
		if r.Method == http.MethodPut {
			cancel()
		}
		return nil
	})
	files := []media.LocalFile{arrived(t, "a_1.txt", "text/plain", "a"), arrived(t, "b_1.txt", "text/plain", "b")}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if err := b.Put(cancelled, files...); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who has gone before: %v", err)
	}
	if err := b.Put(t.Context(), files...); err == nil {
		t.Error("what was there before is replaced")
	}
	if keys := s.Keys(); len(keys) != 2 {
		t.Errorf("what is left: %v", keys)
	}
	_ = b.Put(ctx, arrived(t, "c_1.txt", "text/plain", "c"))
	if keys := s.Keys(); len(keys) != 2 {
		t.Errorf("of who goes while it is sent there is left: %v", keys)
	}
}

// A file that has arrived by a try without an answer is ours: the next try finds it there.
func TestWhatArrivedWithoutAnAnswerIsOurs(t *testing.T) {
	b, s := open(t)
	tries := 0
	s.FailWith(func(r *http.Request) *mediatest.Fault {
		if tries++; r.Method == http.MethodPut && tries == 1 {
			return &mediatest.Fault{Done: true}
		}
		return nil
	})
	if err := b.Put(t.Context(), arrived(t, "a_1.txt", "text/plain", "a")); err != nil || tries < 2 {
		t.Errorf("after %d requests: %v", tries, err)
	}
	if keys := s.Keys(); len(keys) != 1 {
		t.Errorf("there is %v", keys)
	}
}

// A file of many parts arrives whole.
func TestLargeFilesAreSentInParts(t *testing.T) {
	b, s := open(t)
	content := strings.Repeat("0123456789abcdef", 2_200_000) // 35 MB
	if err := b.Put(t.Context(), arrived(t, "film_1.mp4", "video/mp4", content)); err != nil {
		t.Fatal(err)
	}
	file, object, err := b.Open(t.Context(), "film_1.mp4")
	if err != nil || object.Size != int64(len(content)) {
		t.Fatalf("%+v, %v", object, err)
	}
	defer file.Close()
	if data, err := io.ReadAll(file); err != nil || string(data) != content {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if n := len(s.Requests()); n < 5 {
		t.Errorf("only %d requests", n)
	}
}

func TestWhatFailsIsSaidWithoutSecrets(t *testing.T) {
	b, s := open(t)
	if err := b.Put(t.Context(), arrived(t, "a_1.txt", "text/plain", "a")); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		fault mediatest.Fault
		is    func(error) bool
	}{
		{mediatest.Fault{Status: 403, Code: "AccessDenied"}, isUnreachable},
		{mediatest.Fault{Status: 404, Code: "NoSuchBucket"}, isUnreachable},
		{mediatest.Fault{Status: 301, Code: "PermanentRedirect"}, isUnreachable},
		{mediatest.Fault{Status: 400, Code: "QuotaExceeded"}, isFull},
		{mediatest.Fault{Status: 507, Code: "InsufficientStorage"}, isFull},
	} {
		s.FailWith(func(*http.Request) *mediatest.Fault { return &one.fault })
		err := b.Put(t.Context(), arrived(t, "b_1.txt", "text/plain", "b"))
		if !one.is(err) || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v", one.fault, err)
		}
	}
	s.FailWith(func(*http.Request) *mediatest.Fault { return &mediatest.Fault{Status: 403, Code: "AccessDenied"} })
	if _, _, err := b.Open(t.Context(), "a_1.txt"); !isUnreachable(err) {
		t.Errorf("Open: %v", err)
	}
	if err := b.List(t.Context(), func(media.Object) error { return nil }); !isUnreachable(err) {
		t.Errorf("List: %v", err)
	}
	if err := b.Delete(t.Context(), "a_1.txt"); !isUnreachable(err) {
		t.Errorf("Delete: %v", err)
	}
}

func isUnreachable(err error) bool { return errors.As(err, new(*media.UnreachableError)) }
func isFull(err error) bool        { return errors.Is(err, store.ErrFull) }

// A store that sends the client elsewhere, or breaks off, is one that cannot be used.
func TestRedirectsAreNotFollowed(t *testing.T) {
	requested := false
	elsewhere := mediatest.NewS3(t)
	elsewhere.FailWith(func(*http.Request) *mediatest.Fault { requested = true; return nil })
	moved := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	b := at(t, moved)
	if _, _, err := b.Open(t.Context(), "a_1.txt"); !isUnreachable(err) || requested {
		t.Errorf("asked elsewhere: %t, %v", requested, err)
	}
}

// A file that breaks off, or is not as long as it was, is an error and not a shorter file.
func TestShortAnswersAreErrors(t *testing.T) {
	short := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Mon, 23 Nov 2026 00:00:00 GMT")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, "short")
		}
	})
	file, _, err := at(t, short).Open(t.Context(), "a_1.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if data, err := io.ReadAll(file); !isUnreachable(err) {
		t.Errorf("%q, %v", data, err)
	}
}

// Who reads on after a file has broken off gets what follows.
func TestReadingGoesOnAfterABreak(t *testing.T) {
	broken := false
	b := at(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Mon, 23 Nov 2026 00:00:00 GMT")
		switch {
		case r.Header.Get("Range") == "bytes=5-9":
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "56789")
			return
		case r.Method == http.MethodGet:
			broken = true
		}
		w.Header().Set("Content-Length", "10")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, "01234")
		}
	}))
	file, _, err := b.Open(t.Context(), "a_1.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	first, err := io.ReadAll(file)
	if !isUnreachable(err) || !broken {
		t.Errorf("%q, %v", first, err)
	}
	if rest, err := io.ReadAll(file); err != nil || string(first)+string(rest) != "0123456789" {
		t.Errorf("%q and %q, %v", first, rest, err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	b, _ := open(t)
	if err := b.Put(t.Context(), arrived(t, "a_1.txt", "text/plain", "a")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	file, _, err := b.Open(ctx, "a_1.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cancel()
	if _, err := file.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCredentials(t *testing.T) {
	at := settings.Storage{Bucket: "s3://guide", Endpoint: "https://s3.example.org", Region: "eu"}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	if _, err := bucket.New(at); !errors.Is(err, bucket.ErrNoCredentials) {
		t.Error(err)
	}
	at.Credentials = filepath.Join(t.TempDir(), "keys.json")
	if _, err := bucket.New(at); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for text, good := range map[string]bool{
		`{"accessKeyId": "a", "secretAccessKey": "` + secret + `"}`: true,
		`{"secretAccessKey": "` + secret + `"}`:                     false,
		secret:                                                      false,
	} {
		if err := os.WriteFile(at.Credentials, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := bucket.New(at)
		if good != (err == nil) || err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", text, err)
		}
		if !good {
			continue
		}
		address, err := b.Address(t.Context(), "a_1.jpg", "image/jpeg")
		if err != nil || !strings.HasPrefix(address, "https://guide.s3.example.org/a_1.jpg?") || !strings.Contains(address, "X-Amz-Expires=300") || strings.Contains(address, secret) {
			t.Errorf("%s, %v", address, err)
		}
	}
}
