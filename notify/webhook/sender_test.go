package webhook

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quire/schema/settings"
)

func at(seconds int64) func() time.Time {
	return func() time.Time { return time.Unix(seconds, 0) }
}

var loopbackAllowed = settings.Events{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}

// The signature is that of the convention's own example.
func TestSignature(t *testing.T) {
	const secret, id, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", `{"test": 2432232314}`
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	moment := time.Unix(1614265330, 0)
	if got := signature([]string{secret}, id, moment, []byte(body)); got != want {
		t.Errorf("got %s", got)
	}
	other := newSecret()
	if got := signature([]string{other, secret}, id, moment, []byte(body)); !strings.HasSuffix(got, " "+want) || strings.Count(got, "v1,") != 2 {
		t.Errorf("under two secrets: %s", got)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(other, "whsec_"))
	if err != nil || len(key) != 32 || other == newSecret() {
		t.Errorf("a new secret is %q", other)
	}
}

func send(t *testing.T, allowed settings.Events, resolver *net.Resolver, m *message) (int, error) {
	t.Helper()
	s := newSender(allowed, resolver, at(1700000000))
	defer s.close()
	return s.send(t.Context(), m)
}

func TestSend(t *testing.T) {
	var got *http.Request
	var body string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	secret := newSecret()
	m := &message{id: "msg_1", event: "entry.create", url: receiver.URL + "/hook?a=b", secrets: []string{secret}, body: []byte(`{"a":1}`),
		headers: map[string]string{"Authorization": "Bearer x", "User-Agent": "mine"}}
	if status, err := send(t, loopbackAllowed, nil, m); err != nil || status != 204 {
		t.Fatalf("%d, %v", status, err)
	}
	for name, want := range map[string]string{
		"X-Strapi-Event": "entry.create", "Webhook-Id": "msg_1", "Webhook-Timestamp": "1700000000", "Content-Type": "application/json",
		"Authorization": "Bearer x", "User-Agent": "mine", "Webhook-Signature": signature(m.secrets, "msg_1", time.Unix(1700000000, 0), m.body),
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, not %q", name, got.Header.Get(name), want)
		}
	}
	if got.Method != http.MethodPost || got.URL.String() != "/hook?a=b" || body != `{"a":1}` {
		t.Errorf("got %s %s: %s", got.Method, got.URL, body)
	}
}

// Answers that are no success are errors that say so, redirects are not followed, and an
// answer without an end is not read to it.
func TestAnswers(t *testing.T) {
	var requested atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested.Add(1)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/ok":
			t.Error("a redirect was followed")
		}
	}))
	defer receiver.Close()
	for path, want := range map[string]string{
		"/moved": "the receiver answered 307, a redirect, which is not followed", "/gone": "the receiver answered 410",
		"/endless": "", "/headers": "net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded 16384 bytes; aborted",
	} {
		_, err := send(t, loopbackAllowed, nil, &message{url: receiver.URL + path, secrets: []string{newSecret()}})
		if text := textOf(err); text != want {
			t.Errorf("%s: %q", path, text)
		}
	}
	if requested.Load() != 4 {
		t.Errorf("the receiver was asked %d times", requested.Load())
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// An error has nothing of an answer that is not one in HTTP: another service gave it.
func TestErrorsHideTheAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answers := []string{"hush 2.0\r\n", "HTTP/1.1 200 OK\r\nhush\x1b[31m\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: hush\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: hush\r\n\r\n"}
	go func() {
		for _, answer := range answers {
			c, err := l.Accept()
			if err != nil {
				return
			}
			http.ReadRequest(bufio.NewReader(c))
			io.WriteString(c, answer)
			c.Close()
		}
	}()
	for _, answer := range answers {
		_, err := send(t, loopbackAllowed, nil, &message{url: "http://" + l.Addr().String()})
		if textOf(err) != "the receiver did not answer in HTTP" {
			t.Errorf("after %q: %v", answer, err)
		}
	}
}

// An error names no secret of the address.
func TestErrorsHideTheAddress(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSender(loopbackAllowed, nil, at(0))
	_, err := s.send(ctx, &message{url: "http://127.0.0.1:1/?token=secret"})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }))
	defer silent.Close()
	s.client.Timeout = 50 * time.Millisecond
	if _, err := s.send(t.Context(), &message{url: silent.URL + "/?token=secret"}); textOf(err) != "the receiver did not answer in time" {
		t.Errorf("got %v", err)
	}
}

// Whatever a host is called and however its address is written, nothing reaches what is
// not public.
func TestNothingPrivateIsReached(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the receiver was reached") }))
	defer receiver.Close()
	_, port, _ := net.SplitHostPort(receiver.Listener.Addr().String())
	names := newNames(t, func(string, int) string { return "127.0.0.1" })
	for _, host := range []string{
		"127.0.0.1", "localhost", "localhost.", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "0.0.0.0", "[::]",
		"[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1%25lo]", "[::1%25lo]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "private.example",
	} {
		_, err := send(t, settings.Events{}, names, &message{url: "http://" + host + ":" + port + "/"})
		if err == nil {
			t.Errorf("%s was sent to", host)
		}
	}
	_, err := send(t, settings.Events{}, names, &message{url: "http://private.example:" + port})
	if !errors.As(err, new(*settings.AddressError)) {
		t.Errorf("a name of this machine: %v", err)
	}
}

// A name that leads to an allowed address first and to another one later is checked each
// time.
func TestRebinding(t *testing.T) {
	reached := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer receiver.Close()
	_, port, _ := net.SplitHostPort(receiver.Listener.Addr().String())
	names := newNames(t, func(_ string, requested int) string { return []string{"127.0.0.1", "127.0.0.9"}[min(requested, 1)] })
	s := newSender(settings.Events{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, names, at(0))
	m := &message{url: "http://changes.example:" + port + "/"}
	if _, err := s.send(t.Context(), m); err != nil || reached != 1 {
		t.Fatalf("at first: %v", err)
	}
	s.close() // so that it is dialed again
	var refused *settings.AddressError
	if _, err := s.send(t.Context(), m); !errors.As(err, &refused) || refused.Address.String() != "127.0.0.9" || reached != 1 {
		t.Errorf("then: %v", err)
	}
}

// newNames is a resolver with its own server, which answers each question for an IPv4
// address with what answer says, by how often it has been asked before.
func newNames(t *testing.T, answer func(name string, requested int) string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	requested := 0
	go func() {
		for packet := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return
			}
			name, end := nameIn(packet[:n])
			reply := append([]byte{packet[0], packet[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, packet[12:end+4]...)
			if binary.BigEndian.Uint16(packet[end:]) == 1 { // an IPv4 address
				ip := netip.MustParseAddr(answer(name, requested)).As4()
				requested++
				reply[7] = 1
				reply = append(append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), ip[:]...)
			}
			server.WriteTo(reply, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// nameIn is the name that a question to a name server asks for, and where it ends.
func nameIn(packet []byte) (name string, end int) {
	for end = 12; packet[end] != 0; end += 1 + int(packet[end]) {
		name += string(packet[end+1:end+1+int(packet[end])]) + "."
	}
	return name, end + 1
}

// Addresses that can never be sent to are refused when they are written down.
func TestAddressesAsTheyAreWritten(t *testing.T) {
	for text, fine := range map[string]bool{
		"https://example.org/hook": true, "http://93.184.215.14:8080/": true, "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/": true,
		"https://example.org:80": true, "https://example.org:443": true, "https://example.org:1024": true, "http://[64:ff9b::5db8:d70e]/": true,
		"https://example.org:25/": false, "https://example.org:0/": false, "https://example.org:65536/": false, "https://example.org:/": false,
		"https://user@example.org/": false, "https://user:secret@example.org/": false, "https://example.org/#part": false,
		"ftp://example.org/": false, "//example.org/": false, "https:///hook": false, "https:example.org": false, "": false,
		"https://" + strings.Repeat("x", 2048): false, "http://[fe80::1%25eth0]/": false, "http://2130706433/": false, "http://0x7f.1/": false,
		"http://0177.0.0.1/": false, "http://127.1/": false, "http://localhost/": false, "http://LOCALHOST./": false, "http://a.localhost/": false,
		"http://[::ffff:10.0.0.1]/": false, "http://[::ffff:0a00:1]/": false, "http://[64:ff9b::10.0.0.1]/": false, "http://[2002:a00:1::]/": false,
		"http://[2001:0:1::]/": false, "http://100.64.0.1/": false, "http://169.254.169.254/latest/meta-data": false, "http://[fd00:ec2::254]/": false,
		"http://224.0.0.1/": false, "http://255.255.255.255/": false, "http://198.18.0.1/": false, "http://[ff02::1]/": false, "http://[5f00::1]/": false,
		"http://exa mple.org/": false, "http://example.org/\n": false,
	} {
		if err := checkURL(text, settings.Events{}); (err == "") != fine {
			t.Errorf("%q: %q", text, err)
		}
	}
	for _, text := range []string{"http://localhost:8080/", "http://127.0.0.1:8080", "http://[::1]:3000", "http://[::ffff:127.0.0.1]:3000"} {
		if err := checkURL(text, loopbackAllowed); err != "" {
			t.Errorf("%q, which is allowed: %s", text, err)
		}
	}
	if err := checkURL("http://[fe80::1%25eth0]:3000", settings.Events{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("fe80::/10")}}); err == "" {
		t.Error("a zone is allowed")
	}
	if _, err := url.Parse("http://[fe80::1%25eth0]/"); err != nil {
		t.Errorf("the test is about no address: %v", err)
	}
}
