package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quire/content/body"
	"quire/schema"
	"quire/server/edge"
)

// listen serves until the test ends, and returns the address.
func listen(t *testing.T, s *Server) (address string) {
	t.Helper()
	return serveUntilTheEnd(t, s.Serve)
}

func serveUntilTheEnd(t *testing.T, serve func(context.Context, net.Listener) error) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// dial connects, and sends a text.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

func nothing(x *request) error {
	x.answerEmpty()
	return nil
}

// newRequest returns a request of a server without a connection.
func newRequest(s *Server, r *http.Request) *request {
	w := httptest.NewRecorder()
	x := &request{ResponseWriter: w, server: s, site: s.current.Load(), http: r}
	x.share = &x.own
	x.share.Begin(s.load, 1000, w, r)
	return x
}

// slowly yields a text in pieces. Before each piece, it reports how many bytes have been
// read.
type slowly struct {
	text  []byte
	piece int
	look  func(arrived int)
	came  int
}

func (s *slowly) Read(p []byte) (int, error) {
	s.look(s.came)
	n := copy(p[:min(len(p), s.piece)], s.text[s.came:])
	s.came += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// freeBody is how many bytes of each body are not counted.
const freeBody = 8 << 10

// The memory of a form counts as it arrives: the texts, and the bytes between them.
func TestMemoryGrowsWithTheForm(t *testing.T) {
	t.Parallel()
	text := "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n" + strings.Repeat("x", 500_000) + "\r\n"
	var headers strings.Builder
	for i := range 20 {
		fmt.Fprintf(&headers, "--b\r\nContent-Disposition: form-data; name=\"%d%s\"\r\n\r\n\r\n", i, strings.Repeat("x", 30_000))
	}
	for name, test := range map[string]struct {
		form  string
		least int64 // percentage that is held at the end
	}{"a text": {text, 99}, "names": {headers.String(), 98}} {
		s := testServer(t, io.Discard, nothing)
		s.current.Load().schema.Settings.Limits.BodyBytes = 1 << 20
		body := &slowly{text: []byte(test.form + "--b--\r\n"), piece: 1000, look: func(arrived int) {
			if taken := s.Counts().BodyBytes; taken > int64(2*arrived) {
				t.Fatalf("%s: %d have come, %d are taken", name, arrived, taken)
			}
		}}
		read := func(body io.Reader) (*request, error) {
			r := httptest.NewRequest("POST", "/", body)
			r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			x := newRequest(s, r)
			_, err := x.readForm()
			return x, err
		}
		first, err := read(body)
		if taken := s.Counts().BodyBytes; err != nil || taken < int64(len(test.form))*test.least/100-freeBody {
			t.Errorf("%s: %v; %d bytes are taken", name, err, taken)
		}
		rest := newRequest(s, httptest.NewRequest("POST", "/", nil))
		if err := rest.share.ReserveBody(freeBody + edge.Memory/2 - s.Counts().BodyBytes); err != nil {
			t.Fatal(err)
		}
		second, err := read(strings.NewReader(test.form))
		if !errors.Is(err, edge.ErrMemory) {
			t.Errorf("%s, with no memory left: %v", name, err)
		}
		for _, x := range []*request{first, second, rest} {
			x.share.End()
		}
		if n := s.Counts().BodyBytes; n != 0 {
			t.Errorf("%s: in the end %d bytes are taken", name, n)
		}
	}
}

// The memory of the decoded elements of a body counts before decoding.
func TestElementsOfBodiesCount(t *testing.T) {
	t.Parallel()
	list := func(item string, n int) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	most := body.MostItems(&schema.Site{})
	for body, items := range map[string]int{
		list("1", 5001):                        5000,
		list("1", 3*most):                      most,
		list(`"a,\\\",b,,"`, 5001):             5000,
		`"` + strings.Repeat(",", 20000) + `"`: 0,
	} {
		var taken int64
		s := testServer(t, io.Discard, func(x *request) error {
			_, _, err := openBody(x, 1<<20)
			taken = x.server.Counts().BodyBytes
			return err
		})
		r := httptest.NewRequest("GET", "/x", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
		if beside := taken - int64(items*itemBytes); beside < 0 || beside > int64(2*len(body)) {
			t.Errorf("%.20s…: %d bytes are taken for %d of them and %d items", body, taken, len(body), items)
		}
		if n := s.Counts().BodyBytes; n != 0 {
			t.Errorf("%d bytes are still taken", n)
		}
	}
}

// A response over TLS, and a redirect to TLS, do not wait for the body either.
func TestUnwantedBodyBesideTLS(t *testing.T) {
	t.Parallel()
	patience := edge.UsualPatience()
	patience.Read = time.Hour
	s := testServer(t, io.Discard, nothing)
	s.load = edge.NewLoad(patience)
	certificates := httptest.NewTLSServer(nil)
	defer certificates.Close()
	secure := serveUntilTheEnd(t, func(ctx context.Context, l net.Listener) error {
		return s.ServeTLS(ctx, l, &tls.Config{Certificates: certificates.TLS.Certificates})
	})
	plain := serveUntilTheEnd(t, func(ctx context.Context, l net.Listener) error {
		return s.ServePlain(ctx, l, Redirect(func(string) bool { return true }, "443"))
	})
	for want, conn := range map[string]net.Conn{
		"204": tls.Client(dial(t, secure, ""), &tls.Config{InsecureSkipVerify: true}),
		"308": dial(t, plain, ""),
	} {
		io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx")
		answer, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) || err != nil {
			t.Errorf("%q, %v; want %s", answer, err, want)
		}
		conn.Close()
	}
}

// A stopping node waits for the delay once, while it serves clients. It does not wait again
// for other nodes.
func TestTheStopDelayPassesOnce(t *testing.T) {
	t.Parallel()
	s := testServer(t, io.Discard, nothing)
	s.stopDelay = 24 * time.Hour
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	ended := make(chan error, 1)
	go func() { ended <- s.ServeNodes(ctx, l, nil, http.NotFoundHandler()) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("other nodes are still served")
	}
}
