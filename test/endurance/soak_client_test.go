package endurance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// soakLoad is what all clients of a soak share.
type soakLoad struct {
	url, token string
	queries    []string // hostile ones, from the corpora of the fuzz tests
	bodies     []string // and hostile bodies
	tally      *soakTally
}

// soakClient is one client that goes on until the load ends.
type soakClient struct {
	*soakLoad
	ctx    context.Context // of the load; requests are not cut off by it
	name   string          // unlike that of any other client
	random *rand.Rand
	http   *http.Client
}

// soakRole is something that clients do: once, and then once more until the load
// ends. What it leaves behind, it takes away at the end.
type soakRole struct {
	name    string
	clients int
	begin   func(c *soakClient) (again, leave func())
}

// run has all clients of all roles work until ctx is done.
func (l *soakLoad) run(ctx context.Context, seed uint64, roles []soakRole) {
	var clients sync.WaitGroup
	for i, role := range roles {
		for n := range role.clients {
			clients.Go(func() {
				transport := &http.Transport{MaxIdleConnsPerHost: 2, DisableCompression: true}
				defer transport.CloseIdleConnections()
				c := &soakClient{l, ctx, fmt.Sprintf("%s%d", role.name, n), rand.New(rand.NewPCG(seed, uint64(i*100+n))), &http.Client{Transport: transport, Timeout: 2 * time.Minute}}
				again, leave := role.begin(c)
				for ctx.Err() == nil {
					again()
				}
				leave()
			})
		}
	}
	clients.Wait()
}

// soakRequest is one request, with what is a right answer to it.
type soakRequest struct {
	kind         string
	method, path string // GET when empty
	public       bool   // without the token
	bearer       string // instead of the token
	body         string
	bodyType     string // JSON when empty
	coding       string
	tag          string // that the client has
	right        []int  // statuses; 200 when empty
}

// soakAnswer is what is in most answers.
type soakAnswer struct {
	status int
	tag    string
	text   []byte // as it was before it was compressed

	Data json.RawMessage
	Meta struct {
		Pagination struct{ Page, PageSize, PageCount, Total int }
	}
	Error struct {
		Status  int
		Name    string
		Message string
	}
}

// send sends a request, waits for the whole answer and counts it. It returns what
// was answered, which is nothing if that was wrong.
func (c *soakClient) send(r soakRequest) (a soakAnswer, ok bool) {
	begun := time.Now()
	a, err := c.try(r)
	c.tally.done(r.kind, time.Since(begun), err)
	return a, err == nil
}

func (c *soakClient) try(r soakRequest) (a soakAnswer, err error) {
	request, err := http.NewRequest(r.method, c.url+r.path, strings.NewReader(r.body))
	if err != nil {
		return a, err
	}
	c.dress(request, r)
	response, err := c.http.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if a.text, err = decoded(response); err != nil {
		return a, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	a.status, a.tag = response.StatusCode, response.Header.Get("ETag")
	if err := a.check(response.Header.Get("Content-Type"), r.right); err != nil {
		return a, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	return a, nil
}

func (c *soakClient) dress(request *http.Request, r soakRequest) {
	switch {
	case r.bearer != "":
		request.Header.Set("Authorization", "Bearer "+r.bearer)
	case !r.public:
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if r.body != "" {
		if r.bodyType == "" {
			r.bodyType = "application/json"
		}
		request.Header.Set("Content-Type", r.bodyType)
	}
	if r.coding != "" {
		request.Header.Set("Accept-Encoding", r.coding)
	}
	if r.tag != "" {
		request.Header.Set("If-None-Match", r.tag)
	}
}

// decoded reads the whole body, through the coding that it has.
func decoded(response *http.Response) ([]byte, error) {
	switch response.Header.Get("Content-Encoding") {
	case "gzip":
		r, err := gzip.NewReader(response.Body)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "zstd":
		r, err := zstd.NewReader(response.Body, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	return io.ReadAll(response.Body)
}

// check looks for everything that cannot be right about an answer.
func (a *soakAnswer) check(contentType string, right []int) error {
	if right == nil {
		right = []int{http.StatusOK}
	}
	if !slices.Contains(right, a.status) {
		return fmt.Errorf("answered %d %.300s", a.status, a.text)
	}
	if !strings.HasPrefix(contentType, "application/json") {
		return nil
	}
	if !json.Valid(a.text) {
		return fmt.Errorf("answered %d with %d bytes that are no JSON: %.300s", a.status, len(a.text), a.text)
	}
	if !bytes.HasPrefix(a.text, []byte("{")) {
		return nil
	}
	if err := json.Unmarshal(a.text, a); err != nil {
		return fmt.Errorf("answered %.300s: %w", a.text, err)
	}
	if a.status >= 400 && (a.Error.Status != a.status || a.Error.Name == "" || a.Error.Message == "") {
		return fmt.Errorf("answered %d with %.300s", a.status, a.text)
	}
	return nil
}

// list is the answer of a list: its entries by name, with totals that add up.
func (c *soakClient) list(kind, path string) (a soakAnswer, entries []map[string]json.RawMessage, ok bool) {
	begun := time.Now()
	a, err := c.try(soakRequest{kind: kind, path: path})
	if err == nil {
		err = json.Unmarshal(a.Data, &entries)
	}
	p := a.Meta.Pagination
	here := min(p.PageSize, max(0, p.Total-(p.Page-1)*p.PageSize))
	if err == nil && (len(entries) != here || p.PageSize > 0 && p.PageCount != (p.Total+p.PageSize-1)/p.PageSize) {
		err = fmt.Errorf("GET %s: %d entries with the pagination %+v", path, len(entries), p)
	}
	c.tally.done(kind, time.Since(begun), err)
	return a, entries, err == nil
}

// wrong counts an answer that was whole, but not what it had to be.
func (c *soakClient) wrong(kind, format string, args ...any) {
	c.tally.done(kind, 0, fmt.Errorf(format, args...))
}

// dial opens a connection for clients that do not behave. Not much of an answer
// waits in it for being read. It comes from one of many addresses, each of which
// has ports enough for those that were closed a moment ago.
func (c *soakClient) dial() (*net.TCPConn, error) {
	address, err := url.Parse(c.url)
	if err != nil {
		return nil, err
	}
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+c.random.IntN(100)))}}
	conn, err := from.Dial("tcp", address.Host)
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	return tcp, tcp.SetReadBuffer(64 << 10)
}

// one is one of several.
func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// noKeepAlive is for clients that leave no connection open.
func noKeepAlive() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, Timeout: 2 * time.Minute}
}
