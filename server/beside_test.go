package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/schema"
	"quire/server"
)

// besideSite is a site with a process that answers /api/reserve and everything below.
func besideSite(t *testing.T, address, further string) *accountSite {
	t.Helper()
	return openAccountSite(t, sampleWith(t, unlimited+fmt.Sprintf(`, "proxy": {"/api/reserve": %q}%s`, address, further), noRoles), options{})
}

// echo responds with its request, as JSON.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "mine")
		w.Header().Add("Set-Cookie", "basket=1")
		w.Header().Add("Set-Cookie", "quire_admin=stolen")
		w.Header().Add("Set-Cookie", "__Host-quire_admin=stolen")
		w.WriteHeader(http.StatusTeapot)
		json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "uri": r.RequestURI, "body": string(body), "header": r.Header})
	}))
	t.Cleanup(s.Close)
	return s
}

// passed is a request to echo.
type passed struct {
	Method, URI, Body string
	Header            http.Header
}

// over sends a request to the site over a connection.
func over(t *testing.T, h *accountSite, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	s := httptest.NewServer(h.handler)
	t.Cleanup(s.Close)
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	check(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	check(t, err)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	check(t, err)
	return a, string(text)
}

// A request is forwarded with its method, path, query and body. Quire sets the headers
// that say where it comes from, and keeps its own cookies.
func TestProxyPassesRequestsOn(t *testing.T) {
	t.Parallel()
	h := besideSite(t, echo(t).URL, "")
	a, text := over(t, h, "PATCH", "/api/reserve/tables%2F7?a=b;c&d", "two", "Authorization", "Bearer mine",
		"Cookie", "quire_admin=marker; basket=1; __Host-quire-connect=marker; quire_admin_step=marker", "X-Forwarded-For", "203.0.113.9",
		"X-Forwarded-Proto", "https", "X-Forwarded-Prefix", "/x", "Forwarded", "for=203.0.113.9", "X-Real-Ip", "203.0.113.9", "Connection", "X-Hop", "X-Hop", "a",
		"X_Forwarded_For", "203.0.113.9", "X-Forwarded", "203.0.113.9", "X_real_ip", "203.0.113.9", "X_Request_Id", "mine", "X-Request-Id", "mine", "Api_key", "a")
	var got passed
	check(t, json.Unmarshal([]byte(text), &got))
	if a.StatusCode != 418 || got.Method != "PATCH" || got.URI != "/api/reserve/tables%2F7?a=b;c&d" || got.Body != "two" {
		t.Errorf("%d %+v", a.StatusCode, got)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer mine", "Cookie": "basket=1", "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http",
		"X-Forwarded-Prefix": "", "Forwarded": "", "X-Real-Ip": "", "X-Hop": "", "Connection": "", "X_forwarded_for": "",
		"X-Forwarded": "", "X_real_ip": "", "X_request_id": "", "Api_key": "a",
	} {
		if strings.Join(got.Header[name], ",") != want {
			t.Errorf("%s is %q, want %q", name, got.Header[name], want)
		}
	}
	if id := got.Header["X-Request-Id"]; len(id) != 1 || !strings.HasPrefix(got.Header.Get("X-Forwarded-Host"), "127.0.0.1:") {
		t.Errorf("headers are %v", got.Header)
	}
	if cookies := a.Header["Set-Cookie"]; len(cookies) != 1 || cookies[0] != "basket=1" {
		t.Errorf("cookies are %v", cookies)
	}
	if sniff := a.Header["X-Content-Type-Options"]; len(sniff) != 1 || sniff[0] != "mine" || a.Header.Get("Content-Security-Policy") != "" {
		t.Errorf("headers are %v", a.Header)
	}
	if strings.Contains(h.log.String(), "marker") {
		t.Error("the log has a cookie")
	}
}

// The longest prefix counts. Paths that only begin with the same letters belong to Quire.
func TestProxyPaths(t *testing.T) {
	t.Parallel()
	named := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, name) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	h := openAccountSite(t, sampleWith(t, unlimited+fmt.Sprintf(`, "proxy": {"/api/reserve": %q, "/api/reserve/tables": %q}`, named("outer"), named("inner")), noRoles), options{})
	for path, want := range map[string]string{
		"/api/reserve": "200 outer", "/api/reserve/": "200 outer", "/api/reserve/x": "200 outer", "/api/reserve/tables": "200 inner",
		"/api/reserve/tables/7": "200 inner", "/api/reserve/tablets": "200 outer",
		"/api/reserved": "404", "/api/reserve/../restaurants": "400", "/api/reserve/%2e%2e/restaurants": "400", "/api": "404",
		"/api/reserve/..%2f_batch": "400", "/api/reserve/..%5c_batch": "400", "/api/reserve/..;/x": "400", "/api/reserve/a;b/..a": "200 outer",
	} {
		if a, text := over(t, h, "GET", path, ""); !strings.HasPrefix(fmt.Sprint(a.StatusCode, " ", text), want) {
			t.Errorf("%s: %d %s, want %s", path, a.StatusCode, text, want)
		}
	}
}

// A path of Quire cannot be forwarded.
func TestProxyCannotShadowRoutes(t *testing.T) {
	t.Parallel()
	for path, shadows := range map[string]bool{
		"/api": true, "/api/restaurants": true, "/api/restaurants/reserve": true, "/api/restaurants/a/history": true, "/admin": true, "/admin/x": true,
		"/uploads": true, "/uploads/x": true, "/metrics": true, "/_health": true, "/api/auth": true, "/api/upload": true, "/api/_batch": true,
		"/api/reserve": false, "/reserve": false, "/api/restaurants-near": false, "/metrics/mine": false,
	} {
		site, err := schema.Load(sampleWith(t, unlimited+fmt.Sprintf(`, "proxy": {%q: "http://127.0.0.1:4000"}`, path), noRoles))
		check(t, err)
		problems := server.CheckSite(site)
		if (len(problems) > 0) != shadows || shadows && !strings.Contains(problems[0].Error(), fmt.Sprintf("proxy[%q]", path)) {
			t.Errorf("%s: %v", path, problems)
		}
	}
}

// If a process does not respond, or responds incorrectly, the response is an error in the
// common envelope.
func TestProxyToWhatMisbehaves(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	address := "http://" + l.Addr().String()
	h := besideSite(t, address, "")
	expect := func(what string) {
		t.Helper()
		a := h.send("", "GET", "/api/reserve", "")
		if a.status != 502 || !strings.Contains(a.body, `"name":"BadGatewayError"`) || strings.Contains(a.body, "127.0.0.1") {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	answers := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for answer := range answers {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
				t.Error(err)
			}
			for first := true; first || answer == "X-A: b\r\n"; first = false {
				if first && answer == "X-A: b\r\n" {
					io.WriteString(c, "HTTP/1.1 200 OK\r\n")
				}
				if _, err := io.WriteString(c, answer); err != nil {
					break
				}
			}
			c.Close()
		}
	}()
	for _, answer := range []string{"", "not HTTP\r\n\r\n", "X-A: b\r\n", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n"} {
		answers <- answer
		expect(answer)
	}
	close(answers)
	<-done
	check(t, l.Close())
	expect("nobody listens")
	if !strings.Contains(h.log.String(), "the program beside the site does not answer") {
		t.Error("the log says nothing")
	}
}

// The response loses headers that affect the whole origin, which is also the admin's, and
// the address of the process. A preliminary response changes no headers.
func TestProxyKeepsTheOrigin(t *testing.T) {
	t.Parallel()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		for _, name := range []string{"Alt-Svc", "Clear-Site-Data", "NEL", "Report-To", "Service-Worker-Allowed", "Strict-Transport-Security"} {
			w.Header().Set(name, "marker")
		}
		w.Header().Set("Location", strings.ReplaceAll(r.URL.Query().Get("to"), "HERE", s.Listener.Addr().String()))
		w.WriteHeader(http.StatusSeeOther)
	}))
	t.Cleanup(s.Close)
	h := besideSite(t, s.URL, "")
	for to, want := range map[string]string{
		"http://HERE/api/reserve/7?a=b%23c": "/api/reserve/7?a=b#c", "//HERE/x": "/x", "http://HERE": "/", "http://HERE//evil.example.org": "/", "/x": "/x",
		"https://shop.example.org/": "https://shop.example.org/", "https://HERE/x": "https://" + s.Listener.Addr().String() + "/x",
	} {
		a, _ := over(t, h, "GET", "/api/reserve?to="+to, "")
		if a.StatusCode != 303 || a.Header.Get("Location") != want {
			t.Errorf("%s: %d %q, want %q", to, a.StatusCode, a.Header.Get("Location"), want)
		}
		for name, values := range a.Header {
			if strings.Contains(strings.Join(values, " "), "marker") {
				t.Errorf("%s is passed on", name)
			}
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers are %v", a.Header)
		}
	}
}

// A slow process does not affect requests to another one.
func TestASlowProcessLeavesTheOthers(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; <-end }))
	t.Cleanup(slow.Close)
	settings := unlimited + fmt.Sprintf(`, "proxy": {"/api/slow": %q, "/api/quick": %q}`, slow.URL, echo(t).URL)
	h := openAccountSite(t, sampleWith(t, settings, noRoles), options{})
	for range 64 {
		go h.send("", "GET", "/api/slow", "")
		<-begun
	}
	if a := h.send("", "GET", "/api/slow", ""); a.status != 503 {
		t.Errorf("one more of an address: %d %s", a.status, a.body)
	}
	front := httptest.NewServer(h.handler) // whose clients are on this machine
	t.Cleanup(front.Close)
	t.Cleanup(func() { close(end) })
	for range 64 {
		go http.Get(front.URL + "/api/slow")
		<-begun
	}
	if a := h.send("", "GET", "/api/slow", ""); a.status != 503 {
		t.Errorf("one more: %d %s", a.status, a.body)
	}
	if a, text := over(t, h, "GET", "/api/quick", ""); a.StatusCode != 418 {
		t.Errorf("another process: %d %s", a.StatusCode, text)
	}
}

// Requests that are too large, or of a kind that is not forwarded, are refused before
// anything is sent.
func TestProxyRefusals(t *testing.T) {
	t.Parallel()
	h := besideSite(t, echo(t).URL, `, "upload": {"sizeLimit": 1000}`)
	if a := h.send("", "GET", "/api/reserve", "", "Connection", "Upgrade", "Upgrade", "websocket"); a.status != 501 || !strings.Contains(a.body, "WebSockets are not passed on") {
		t.Errorf("a WebSocket: %d %s", a.status, a.body)
	}
	if a := h.send("", "POST", "/api/reserve", strings.Repeat("a", 1001)); a.status != 413 {
		t.Errorf("a large body: %d %s", a.status, a.body)
	}
	s := httptest.NewServer(h.handler)
	t.Cleanup(s.Close)
	r, err := http.NewRequest("POST", s.URL+"/api/reserve", io.MultiReader(strings.NewReader(strings.Repeat("a", 5000)))) // of unknown length
	check(t, err)
	a, err := http.DefaultTransport.RoundTrip(r)
	check(t, err)
	defer a.Body.Close()
	if a.StatusCode != 413 {
		t.Errorf("a large body without a length: %d", a.StatusCode)
	}
}

// A response is forwarded as it arrives. The number of requests is limited.
func TestProxyStreamsAndIsBounded(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first\n")
		check(t, http.NewResponseController(w).Flush())
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		io.WriteString(w, "second\n")
	}))
	t.Cleanup(s.Close)
	h := besideSite(t, s.URL, "")
	front := httptest.NewServer(h.handler)
	t.Cleanup(front.Close)
	var open []*http.Response
	for range 128 {
		a, err := http.Get(front.URL + "/api/reserve")
		check(t, err)
		defer a.Body.Close()
		open = append(open, a)
	}
	first, err := bufio.NewReaderSize(open[0].Body, 16).ReadString('\n')
	if first != "first\n" || err != nil {
		t.Errorf("before the end came %q, %v", first, err)
	}
	if a := h.send("", "GET", "/api/reserve", ""); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", a.status, a.body)
	}
	close(goOn)
	for _, a := range open {
		if _, err := io.Copy(io.Discard, a.Body); err != nil {
			t.Error(err)
		}
	}
}
