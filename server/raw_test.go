package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/auth"
)

// wires is a server to which requests are written byte by byte.
type wires struct {
	*client
	address string
}

func newWires(t *testing.T) *wires {
	t.Helper()
	s, keys, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() { stop(); check(t, <-ended) })
	tokens := map[string]string{"full": createToken(t, keys, "full", auth.FullAccess)}
	return &wires{&client{t, "http://" + l.Addr().String(), tokens}, l.Addr().String()}
}

// send writes requests and reads responses until the server closes the connection.
// TOKEN in a request stands for a token of full access.
func (w *wires) send(requests string) (statuses []int, bodies []string) {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.address)
	check(w.t, err)
	defer conn.Close()
	go io.WriteString(conn, strings.ReplaceAll(requests, "TOKEN", w.tokens["full"])) // the server may close first
	for reader := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return statuses, bodies
		}
		body, _ := io.ReadAll(response.Body)
		statuses, bodies = append(statuses, response.StatusCode), append(bodies, string(body))
	}
}

// Requests that strangers can send over a connection, and the responses.
func TestRawRequests(t *testing.T) {
	t.Parallel()
	const (
		last  = "GET /_health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
		more  = "GET /_health HTTP/1.1\r\nHost: x\r\n\r\n"
		write = "POST /api/dishes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nConnection: close\r\n"
	)
	body := func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }
	w := newWires(t)
	for _, test := range []struct {
		what, sent string
		statuses   []int
	}{
		{"one request", last, []int{204}},
		{"several at once", more + strings.Replace(more, "_health", "nowhere", 1) + last, []int{204, 404, 204}},
		{"HTTP/1.0", "GET /_health HTTP/1.0\r\n\r\n", []int{204}},
		{"a whole address", strings.Replace(last, "/_health", "http://evil.example/_health", 1), []int{204}},
		{"a whole address that is too long", strings.Replace(last, "/_health", "http://"+strings.Repeat("a", 65<<10)+"/_health", 1), []int{414}},
		{"no host", "GET /_health HTTP/1.1\r\n\r\n", []int{400}},
		{"two hosts", "GET /_health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", []int{400}},
		{"a host of no kind", "GET /_health HTTP/1.1\r\nHost: x/y z\r\n\r\n", []int{400}},
		{"HEAD with a body", "HEAD /_health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /" + last, []int{204, 204}},
		{"GET with a body", "GET /_health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /" + last, []int{204, 204}},
		{"two lengths", "GET /_health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nGET /" + last, []int{400}},
		{"a coding of no kind", "GET /_health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: fast\r\n\r\n" + last, []int{501}},
		{"OPTIONS for all", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", []int{200}},
		{"many OPTIONS", strings.Repeat("OPTIONS /api/dishes HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: PUT\r\n\r\n", 100) + last, append(slices.Repeat([]int{204}, 100), 204)},
		{"CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n", []int{404}},
		{"HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{405}},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}},
		{"a URL that is too long", strings.Replace(last, "/_health", "/api/dishes?x="+strings.Repeat("x", 64<<10), 1), []int{414}},
		{"a header that is too long", strings.Replace(last, "Host: x", "Host: x\r\nX: "+strings.Repeat("x", 300<<10), 1), []int{431}},
		{"many parameters", strings.Replace(last, "/_health", "/api/dishes?"+strings.Repeat("a=1&", 2000), 1), []int{400}},
		{"a body that is refused before it is sent", "POST /api/dishes HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 10\r\n\r\n", []int{403}},
		{"another expectation", strings.Replace(last, "Host: x", "Host: x\r\nExpect: wonders", 1), []int{417}},
		{"a body that is too large", write + "Content-Length: 2000000\r\n\r\n", []int{413}},
		{"a body that becomes too large", write + "Transfer-Encoding: chunked\r\n\r\n200000\r\n" + strings.Repeat("x", 2<<20) + "\r\n0\r\n\r\n", []int{413}},
		{"a body that is compressed", write + "Content-Encoding: gzip\r\n" + body("\x1f\x8b"), []int{415}},
		{"a body that is nested deeply", write + body(`{"data": {"name": `+strings.Repeat("[", 500_000)+"}}"), []int{400}},
		{"a chunk of no size", write + "Transfer-Encoding: chunked\r\n\r\nnone\r\n", []int{400}},
	} {
		statuses, bodies := w.send(test.sent)
		if !slices.Equal(statuses, test.statuses) {
			t.Errorf("%s: %v, want %v: %.200q", test.what, statuses, test.statuses, bodies)
		}
	}
}

// Whether a request is valid or not: a response that does not need the body does not
// wait for it, and the connection is closed after it.
func TestAnswersDoNotWaitForBodies(t *testing.T) {
	t.Parallel()
	const (
		part     = "Host: x\r\nContent-Length: 1000\r\n\r\nx"
		large    = "Host: x\r\nContent-Length: 1000000000\r\n\r\nx"
		chunks   = "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\n"
		asking   = "Host: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
		mayWrite = "Authorization: Bearer TOKEN\r\n"
	)
	w := newWires(t)
	for _, test := range []struct {
		sent     string
		statuses []int
	}{
		{"GET /_health HTTP/1.1\r\n" + part, []int{204}},
		{"GET /_health HTTP/1.1\r\n" + large, []int{204}},
		{"GET /_health HTTP/1.1\r\n" + chunks, []int{204}},
		{"GET /_health HTTP/1.1\r\n" + asking, []int{204}},
		{"GET /_health HTTP/1.0\r\nConnection: keep-alive\r\n" + part, []int{204}},
		{"GET /_health HTTP/1.1\r\nConnection: close\r\n" + part, []int{204}},
		{"GET /_health HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\n" + part, []int{204, 404}},
		{"HEAD /_health HTTP/1.1\r\n" + part, []int{204}},
		{"OPTIONS /api/dishes HTTP/1.1\r\n" + part, []int{204}},
		{"OPTIONS /api/dishes HTTP/1.1\r\nAccess-Control-Request-Method: PUT\r\n" + chunks, []int{204}},
		{"GET /nowhere HTTP/1.1\r\n" + part, []int{404}},
		{"POST /nowhere HTTP/1.1\r\n" + large, []int{404}},
		{"POST /api/dishes HTTP/1.1\r\n" + part, []int{403}},
		{"POST /api/dishes HTTP/1.1\r\n" + large, []int{403}},
		{"POST /api/dishes HTTP/1.1\r\n" + chunks, []int{403}},
		{"POST /api/dishes HTTP/1.1\r\n" + asking, []int{403}},
		{"POST /api/dishes HTTP/1.1\r\nAuthorization: Bearer nobody\r\n" + part, []int{401}},
		{"POST /api/upload HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n" + part, []int{403}},
		{"PATCH /api/dishes HTTP/1.1\r\n" + part, []int{405}},
		{"POST /api/dishes HTTP/1.1\r\n" + mayWrite + "Content-Type: application/json\r\n" + large, []int{413}},
		{"POST /api/dishes HTTP/1.1\r\n" + mayWrite + part, []int{400}},
		{"POST /api/dishes?fields=zzz HTTP/1.1\r\n" + mayWrite + "Content-Type: application/json\r\n" + part, []int{400}},
		{"POST /api/dishes HTTP/1.1\r\n" + mayWrite + "Content-Encoding: gzip\r\n" + part, []int{415}},
		{"DELETE /api/dishes/nope HTTP/1.1\r\n" + mayWrite + part, []int{204}},
		{"POST /api/auth/refresh HTTP/1.1\r\nContent-Type: application/json\r\n" + part, []int{404}},
		{"GET /api/dishes?x=" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\n" + part, []int{414}},
	} {
		conn, err := net.Dial("tcp", w.address)
		check(t, err)
		check(t, conn.SetDeadline(time.Now().Add(30*time.Second))) // half of the time for a body
		_, err = io.WriteString(conn, strings.ReplaceAll(test.sent, "TOKEN", w.tokens["full"]))
		check(t, err)
		var statuses []int
		reader := bufio.NewReader(conn)
		for range test.statuses {
			response, err := http.ReadResponse(reader, &http.Request{Method: test.sent[:strings.IndexByte(test.sent, ' ')]})
			if err != nil {
				break
			}
			io.Copy(io.Discard, response.Body)
			statuses = append(statuses, response.StatusCode)
		}
		if _, err := reader.ReadByte(); err != io.EOF || !slices.Equal(statuses, test.statuses) {
			t.Errorf("%.150q: %v, want %v; then %v, want the end", test.sent, statuses, test.statuses, err)
		}
		conn.Close()
	}
}

// A client that requests very many parts of a file gets the whole file.
func TestManyRanges(t *testing.T) {
	t.Parallel()
	w := newWires(t)
	stored := w.uploaded(part{"files", "a.txt", strings.Repeat("0123456789", 10_000)})[0]
	for n, want := range map[int]int{1: 206, 2: 206, 16: 206, 17: 200, 10_000: 200} {
		request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nRange: bytes=%s\r\n\r\n", stored.URL, strings.TrimSuffix(strings.Repeat("0-0,", n), ","))
		statuses, bodies := w.send(request)
		if !slices.Equal(statuses, []int{want}) || len(bodies[0]) > 100_000 {
			t.Errorf("%d parts: %v, %d bytes", n, statuses, len(bodies[0]))
		}
	}
}

// The bytes between the parts of a form are limited, and so is the number of parts.
func TestFormsThatGoOn(t *testing.T) {
	t.Parallel()
	w := newWires(t)
	const b = "--b\r\n"
	file := "Content-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n"
	long := strings.Repeat("x", 100<<10)
	for _, test := range []struct {
		what, form string
		status     int
	}{
		{"a form", b + file + "\r\n" + long + "\r\n--b--\r\n", 201},
		{"a file with a long header", b + file + "X: " + long + "\r\n\r\ntext\r\n--b--\r\n", 400},
		{"a file with many headers", b + file + strings.Repeat("X: y\r\n", 20_000) + "\r\ntext\r\n--b--\r\n", 400},
		{"much before the form", long + "\r\n" + b + file + "\r\ntext\r\n--b--\r\n", 400},
		{"many parts", strings.Repeat(b+"Content-Disposition: form-data; name=\"x\"\r\n\r\ny\r\n", 2000) + "--b--\r\n", 400},
		{"no end", b + file + "\r\n" + long, 400},
	} {
		request := fmt.Sprintf("POST /api/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer TOKEN\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s", len(test.form), test.form)
		if statuses, bodies := w.send(request); !slices.Equal(statuses, []int{test.status}) {
			t.Errorf("%s: %v %.300q", test.what, statuses, bodies)
		}
	}
}
