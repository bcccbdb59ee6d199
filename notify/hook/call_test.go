package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quire/content"
	"quire/notify/webhook"
	"quire/schema"
	"quire/store"
)

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// siteWith is a site with a type "one" and a site.json.
func siteWith(t testing.TB, settings string) *schema.Site {
	t.Helper()
	site, err := schema.Load(fstest.MapFS{
		"site.json": {Data: []byte(settings)},
		"src/api/one/content-types/one/schema.json": {Data: []byte(`{"kind": "collectionType",
			"info": {"singularName": "one", "pluralName": "ones", "displayName": "One"}, "attributes": {"name": {"type": "string"}}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// calling is a hook at an address that waits for a second at most.
func calling(t testing.TB, address string) content.Hook {
	t.Helper()
	site := siteWith(t, fmt.Sprintf(`{"limits": {"bodyBytes": 2000}, "hooks": [{"name": "test", "url": %q, "timeout": 1, "types": ["api::one.one"], "events": ["create", "publish"]}]}`, address))
	h := New(site, Options{Secrets: []string{secret}})
	t.Cleanup(h.Close)
	about := h.About(site.Type("api::one.one"))
	if len(about) != 1 {
		t.Fatalf("%d hooks", len(about))
	}
	return about[0]
}

// serving is a hook that a handler answers.
func serving(t testing.TB, handler http.HandlerFunc) content.Hook {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return calling(t, s.URL+"/hooks")
}

func proposalOf(data string, events ...string) *content.Proposal {
	return &content.Proposal{
		Action: store.ActionCreate, Events: events, Type: &schema.Type{UID: "api::one.one"}, DocumentID: "a1",
		Locales: []string{"en"}, Actor: "token:3", Data: json.RawMessage(data),
	}
}

// A call says what is to be written, and whoever has the secret can check that.
func TestACallIsSigned(t *testing.T) {
	var body []byte
	h := serving(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
		seconds, _ := strconv.ParseInt(at, 10, 64)
		check := http.Header{}
		webhook.Sign(check, []string{secret}, id, time.Unix(seconds, 0), body)
		if check.Get("webhook-signature") != r.Header.Get("webhook-signature") || id == "" || r.Header.Get("X-Quire-Event") != "publish" {
			t.Errorf("the headers are %v", r.Header)
		}
	})
	p := proposalOf(`{"name":"a"}`, "update", "publish")
	p.Action = store.ActionUpdate
	if data, err := h.Ask(t.Context(), p); data != nil || err != nil {
		t.Errorf("an empty answer: %s, %v", data, err)
	}
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	delete(sent, "createdAt")
	got, _ := json.Marshal(sent)
	want := `{"action":"update","actor":{"id":"3","kind":"token"},"data":{"name":"a"},"documentId":"a1","event":"publish","events":["update","publish"],"locale":"en","locales":["en"],"type":"api::one.one"}`
	if string(got) != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

// A hook is not called for what it does not listen to.
func TestAHookIsNotCalledForOtherEvents(t *testing.T) {
	h := serving(t, func(w http.ResponseWriter, r *http.Request) { t.Error("it is called"); w.WriteHeader(403) })
	if _, err := h.Ask(t.Context(), proposalOf(`{}`, "delete")); err != nil {
		t.Error(err)
	}
}

func TestAnswers(t *testing.T) {
	for _, one := range []struct {
		status       int
		answer, want string
	}{
		{200, ``, "allowed"}, {204, ``, "allowed"}, {200, `{}`, "allowed"}, {200, `{"data": null}`, "allowed"},
		{200, ` {"data": {"name": "b"}} `, `{"name": "b"}`},
		{403, `{"error": {"message": "Sold out"}}`, "403 Sold out "},
		{409, `{"message": "Sold\nout", "details": {"left": 0}}`, `409 Sold out {"left": 0}`},
		{401, `{"message": "Not you"}`, "400 Not you "}, {413, `{"message": "x"}`, "400 x "},
		{404, `Cannot POST /hooks`, "failed: it answered 404 without a message"},
		{401, `{"error": "wrong signature"}`, "failed: it answered 401 without a message"},
		{400, `{"message": "  "}`, "failed: it answered 400 without a message"},
		{500, `{"message": "x"}`, "failed: it answered 500"},
		{302, ``, "failed: it answered 302, a redirect, which is not followed"},
		{200, `ok`, "failed: its answer is neither empty nor a JSON object"},
		{200, `[]`, "failed: its answer is neither empty nor a JSON object"},
		{200, `{"name": "b"}`, `failed: its answer has the key "name"; the only one is "data"`},
		{200, `{"data": []}`, `failed: "data" of its answer is no object`},
		{200, "{\"data\": {\"name\": \"\xff\"}}", "failed: its answer is neither empty nor a JSON object"},
		{200, `{"data": {"name": "` + strings.Repeat("a", 2000) + `"}}`, "failed: its answer is longer than limits.bodyBytes, 2000 bytes"},
	} {
		h := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			if one.status == 302 {
				w.Header().Set("Location", "/hooks")
			}
			w.WriteHeader(one.status)
			io.WriteString(w, one.answer)
		})
		got := said(h.Ask(t.Context(), proposalOf(`{"name":"a"}`, "create")))
		if got != one.want {
			t.Errorf("%d %.100s\n got %.200s\nwant %.200s", one.status, one.answer, got, one.want)
		}
	}
}

// said is what an answer comes to.
func said(data json.RawMessage, err error) string {
	var refused *content.RefusedError
	var unasked *content.UnaskedError
	switch {
	case errors.As(err, &refused):
		return fmt.Sprintf("%d %s %s", refused.Status, refused.Message, refused.Details)
	case errors.As(err, &unasked):
		return "failed: " + unasked.Err.Error()
	case err != nil:
		return err.Error()
	case data == nil:
		return "allowed"
	}
	return string(data)
}

// A long message is cut.
func TestALongMessageIsCut(t *testing.T) {
	if got := tidy(strings.Repeat("ä", longestMessage+1)); got != strings.Repeat("ä", longestMessage)+"…" {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

// rawHook answers each connection with a function.
func rawHook(t testing.TB, answer func(net.Conn)) content.Hook {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					answer(c)
				}
			}()
		}
	}()
	return calling(t, "http://"+l.Addr().String())
}

// Whatever a hook does, the write is refused within its time.
func TestHooksThatMisbehave(t *testing.T) {
	forever := func(what string) func(net.Conn) {
		return func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, what); err != nil {
					return
				}
			}
		}
	}
	head := "HTTP/1.1 200 OK\r\n"
	for name, answer := range map[string]func(net.Conn){
		"silent": func(c net.Conn) { io.Copy(io.Discard, c) },
		"drips": func(c net.Conn) {
			io.WriteString(c, head+"Content-Length: 100000\r\n\r\n")
			for range time.Tick(10 * time.Millisecond) {
				if _, err := io.WriteString(c, " "); err != nil {
					return
				}
			}
		},
		"endless body":   func(c net.Conn) { io.WriteString(c, head+"\r\n"); forever(strings.Repeat("a", 1000))(c) },
		"endless header": func(c net.Conn) { io.WriteString(c, head); forever("X-A: " + strings.Repeat("a", 1000) + "\r\n")(c) },
		"endless hints":  forever("HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n"),
		"hangs up":       func(net.Conn) {},
		"breaks off":     func(c net.Conn) { io.WriteString(c, head+"Content-Length: 50\r\n\r\n{") },
		"is not HTTP":    func(c net.Conn) { io.WriteString(c, "marker\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := said(rawHook(t, answer).Ask(t.Context(), proposalOf(`{}`, "create")))
			if !strings.HasPrefix(got, "failed: ") || strings.Contains(got, "marker") || strings.Contains(got, "127.0.0.1:") && name != "hangs up" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// Too many calls at once are turned away, and none of them waits. A hook that is slow
// leaves places to the others.
func TestCallsAreBounded(t *testing.T) {
	begun, release := make(chan struct{}, mostOfOne), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; <-release }))
	t.Cleanup(slow.Close)
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(quick.Close)
	site := siteWith(t, fmt.Sprintf(`{"hooks": [{"name": "slow", "url": %q, "timeout": 30}, {"name": "quick", "url": %q}]}`, slow.URL, quick.URL))
	hooks := New(site, Options{Secrets: []string{secret}})
	t.Cleanup(hooks.Close)
	both := hooks.About(site.Type("api::one.one"))
	results := make(chan error, mostOfOne)
	for range mostOfOne {
		go func() { _, err := both[0].Ask(t.Context(), proposalOf(`{}`, "create")); results <- err }()
	}
	for range mostOfOne {
		<-begun
	}
	var unasked *content.UnaskedError
	if _, err := both[0].Ask(t.Context(), proposalOf(`{}`, "create")); !errors.As(err, &unasked) || !unasked.Busy {
		t.Errorf("one more: %v", err)
	}
	if _, err := both[1].Ask(t.Context(), proposalOf(`{}`, "create")); err != nil {
		t.Errorf("another hook: %v", err)
	}
	close(release)
	for range mostOfOne {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// Whoever gives up a write is not answered that a hook has failed.
func TestAGivenUpWrite(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := serving(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // so that the server notices who hangs up
		cancel()
		<-r.Context().Done()
	})
	if _, err := h.Ask(ctx, proposalOf(`{}`, "create")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
