package pull

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

// answers are responses that come one after the other, and then the last one again.
type answers struct {
	list []http.Response
	body []byte
	n    int
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	next := a.list[min(a.n, len(a.list)-1)]
	a.n++
	next.Body = io.NopCloser(bytes.NewReader(a.body))
	return &next, nil
}

// FuzzResponse: whatever a server answers, a download ends. It has the size that the server
// has announced, which is one that the user allows, or there is an error.
func FuzzResponse(f *testing.F) {
	f.Add(206, `"one"`, "bytes 4-9/10", int64(6), []byte("456789"))
	f.Add(200, `"two"`, "", int64(3), []byte("abc"))
	f.Add(200, `"two"`, "", int64(1<<40), []byte("abc"))
	f.Add(200, `W/"two"`, "", int64(-1), []byte("abc"))
	f.Add(416, `"one"`, "bytes */10", int64(0), []byte{})
	f.Add(503, "", "", int64(0), []byte("later"))
	f.Fuzz(func(t *testing.T, status int, tag, part string, length int64, body []byte) {
		const most = 1 << 16
		r, err := Open("https://cms.example.org", token, Options{MostBytes: most})
		check(t, err)
		r.pause = func(context.Context, time.Duration) error { return nil }
		first := http.Response{StatusCode: 200, ContentLength: 10, Header: http.Header{"Etag": {`"one"`}}}
		then := http.Response{StatusCode: status, ContentLength: length, Header: http.Header{"Etag": {tag}, "Content-Range": {part}, "Retry-After": {part}}}
		script := &answers{list: []http.Response{first, first, then}, body: body}
		r.client.Transport = script
		folder := t.TempDir()
		offer, err := r.Newest(t.Context())
		check(t, err)
		file, err := r.Download(t.Context(), offer, folder)
		if script.n > 3*mostTries {
			t.Errorf("%d requests", script.n)
		}
		left := files(t, folder)
		if len(left) > 1 {
			t.Errorf("the folder has %v", left)
		}
		if err != nil {
			if errors.Is(err, context.Canceled) {
				t.Errorf("it stopped by itself: %v", err)
			}
			return
		}
		if info, err := os.Stat(file.Path); err != nil || info.Size() != file.Size || file.Size > most || len(left) != 1 {
			t.Errorf("%+v, %v, %v", file, info, err)
		}
	})
}
