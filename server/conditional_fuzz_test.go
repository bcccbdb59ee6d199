package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzConditional: a client gets a 304 only for a tag that it has sent, and a coding only if it
// accepts it. Without a coding, the bytes are the same for every request.
func FuzzConditional(f *testing.F) {
	site := openFuzzed(f)
	ask := func(held, codings string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/api/users-permissions/permissions", nil)
		r.Header["Authorization"] = []string{"Bearer " + site.tokens[1]}
		r.Header["If-None-Match"], r.Header["Accept-Encoding"] = []string{held}, []string{codings}
		w := httptest.NewRecorder()
		site.handler.ServeHTTP(w, r)
		return w
	}
	plain := ask("", "")
	whole, own := plain.Body.String(), strings.Trim(plain.Header().Get("Etag"), `"`)
	for _, seed := range [][2]string{
		{`"` + own + `"`, ""}, {`W/"x", W/"` + own + `-gzip"`, "gzip"}, {"*", "zstd;q=0.5, *;q=0"}, {`"` + own, "gzip;q=0"}, {`""`, ",;q=x,GZIP"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, held, codings string) {
		if strings.ContainsAny(held+codings, "\r\n\x00") {
			return // no header
		}
		w := ask(held, codings)
		if coding := w.Header().Get("Content-Encoding"); coding != "" && !strings.Contains(strings.ToLower(codings), coding) {
			t.Errorf("Accept-Encoding %q is answered in %s", codings, coding)
		}
		switch body := string(uncoded(t, w)); w.Code {
		case http.StatusNotModified:
			if !strings.Contains(held, own) && held != "*" || body != "" {
				t.Errorf("If-None-Match %q is answered 304 %q", held, body)
			}
		case http.StatusOK:
			if body != whole || held == `"`+own+`"` || held == "*" {
				t.Errorf("If-None-Match %q is answered %.100q", held, body)
			}
		default:
			t.Errorf("%q, %q: %d", held, codings, w.Code)
		}
	})
}

// FuzzRange: a client gets the part of a file that the response names, the whole file, or
// nothing.
func FuzzRange(f *testing.F) {
	site := openFuzzed(f)
	const content = "0123456789abcdef"
	url := site.upload(f, "a.txt", content)
	for _, seed := range [][3]string{
		{"bytes=2-4", "", ""}, {"bytes=-3,0-1", "", ""}, {"bytes=99-", "", ""}, {"bytes=0-18446744073709551615", "", "Fri, 21 Nov 2036 00:00:00 GMT"},
		{"bytes=5-2", `"x"`, ""}, {"bytes=0-0,0-0,0-0,0-0,0-0", "*", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, part, match, since string) {
		r := httptest.NewRequest("GET", url, nil)
		for name, value := range map[string]string{"Range": part, "If-Range": match, "If-Match": match, "If-Unmodified-Since": since} {
			if value != "" {
				r.Header[name] = []string{value}
			}
		}
		w := httptest.NewRecorder()
		site.handler.ServeHTTP(w, r)
		var from, to, size int
		switch body := w.Body.String(); w.Code {
		case http.StatusOK:
			if body != content {
				t.Errorf("%q: %q", part, body)
			}
		case http.StatusPartialContent:
			n, _ := fmt.Sscanf(w.Header().Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size)
			// A request for the last 0 bytes gets none: the range of net/http is "bytes
			// 16-15/16".
			if n == 3 && (size != len(content) || from > to+1 || to >= size || body != content[from:to+1]) {
				t.Errorf("%q: %s is %q", part, w.Header().Get("Content-Range"), body)
			}
			if n != 3 && len(body) > 100*len(content) {
				t.Errorf("%q: %d bytes of parts", part, len(body))
			}
		case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
			if strings.Contains(body, content) {
				t.Errorf("%q: %d %q", part, w.Code, body)
			}
		default:
			t.Errorf("%q, %q, %q: %d", part, match, since, w.Code)
		}
	})
}

// upload stores a file, and returns its url.
func (s *fuzzedSite) upload(t testing.TB, name, content string) string {
	t.Helper()
	form := "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" + name + "\"\r\n\r\n" + content + "\r\n--b--"
	r := httptest.NewRequest("POST", "/api/upload", strings.NewReader(form))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("Authorization", "Bearer "+s.tokens[1])
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	_, rest, _ := strings.Cut(w.Body.String(), `"url":"`)
	url, _, found := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return url
}
