package server

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/query"
	"quire/schema/settings"
	"quire/server/edge"
)

// heavyServer serves queries with the cost in the request. A request that has to stay
// in progress sends to begun, and waits for end.
type heavyServer struct {
	*Server
	log        *lockedLog
	begun, end chan bool
}

// lockedLog is a buffer for several goroutines.
type lockedLog struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func (l *lockedLog) count(part string) int {
	l.Lock()
	defer l.Unlock()
	return strings.Count(l.Buffer.String(), part)
}

// newHeavyServer has two slots for queries from a cost of 100 on.
func newHeavyServer(t *testing.T, wait time.Duration) *heavyServer {
	h := &heavyServer{log: &lockedLog{}, begun: make(chan bool), end: make(chan bool)}
	h.Server = testServer(t, h.log, func(x *request) error {
		if _, err := readBody(x, 1000); err != nil {
			return err
		}
		for _, text := range x.http.URL.Query()["cost"] {
			x.End()
			cost, _ := strconv.Atoi(text)
			if err := x.Begin(x.http.Context(), cost, &query.Query{}); err != nil {
				return err
			}
		}
		if x.http.URL.Query().Has("stay") {
			h.begun <- true
			<-h.end
		}
		if x.http.URL.Query().Has("proves") {
			if err := x.Enter(x.http.Context()); err != nil {
				return err
			}
		}
		x.End()
		return nothing(x)
	})
	e, p := h.current.Load(), edge.UsualPatience()
	p.Heavy = wait
	h.load = edge.NewLoad(p)
	e.schema.Settings.Limits.HeavyCost = 100
	e.slots = h.load.NewSlots(2)
	return h
}

func (h *heavyServer) get(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// stay starts a request that stays in progress. end ends it.
func (h *heavyServer) stay(t *testing.T, path string) (end func()) {
	answered := make(chan int)
	go func() { answered <- h.get(path + "&stay").Code }()
	<-h.begun
	return func() {
		h.end <- true
		if got := <-answered; got != 204 {
			t.Errorf("%s: %d", path, got)
		}
	}
}

// While all slots are taken, heavy queries are refused, and all others are answered.
func TestHeavyQueriesShareTheirPlaces(t *testing.T) {
	t.Parallel()
	h := newHeavyServer(t, 0)
	for _, test := range []struct {
		underWay []string
		answered map[string]int
	}{
		{nil, map[string]int{"/x?cost=101": 204, "/x?cost=1000000": 204, "/x?cost=1&proves": 204}},
		{[]string{"/x?cost=150"}, map[string]int{"/x?cost=150": 204, "/x?cost=250": 503, "/x?cost=1&proves": 204}},
		{[]string{"/x?cost=150", "/x?cost=199"}, map[string]int{"/x?cost=101": 503, "/x?cost=1&proves": 503, "/x?cost=100": 204, "/x?cost=0": 204}},
		{[]string{"/x?cost=1000000"}, map[string]int{"/x?cost=101": 503, "/x?cost=100": 204, "/x?cost=51&cost=50": 503, "/x?cost=50&cost=50": 204}},
		{[]string{"/x?cost=100"}, map[string]int{"/x?cost=1000000": 204}},
	} {
		var ends []func()
		for _, path := range test.underWay {
			ends = append(ends, h.stay(t, path))
		}
		for path, want := range test.answered {
			w := h.get(path)
			if w.Code != want || want == 503 && (w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "takes much work")) {
				t.Errorf("%s beside %v: %d %s", path, test.underWay, w.Code, w.Body)
			}
		}
		for _, end := range ends {
			end()
		}
	}
	if c := h.Counts(); c.HeavyRefused != 5 || c.HeavyWaits != 5 || c.Requests != 0 {
		t.Errorf("%+v", c)
	}
}

// Queries that are neither quick nor heavy wait for those of the same address, and for nobody else.
func TestAnAddressDelaysItsOwnQueries(t *testing.T) {
	t.Parallel()
	h := newHeavyServer(t, time.Hour)
	limits := &h.current.Load().schema.Settings.Limits
	limits.HeavyCost, limits.QueryTime = 10_000, time.Hour
	gone, leave := context.WithCancel(t.Context())
	leave()
	answers := func(when, path, from string, want int) { // or would have to wait, and the client does not
		t.Helper()
		r := httptest.NewRequestWithContext(gone, "GET", path, nil)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		h.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s, %s of %s: %d %s", when, path, from, w.Code, w.Body)
		}
	}
	const flooding, other = "192.0.2.1:1234", "192.0.2.2:1"
	answers("at first", "/x?cost=2000", flooding, 204)
	ends := []func(){h.stay(t, "/x?cost=2000"), h.stay(t, "/x?cost=1&cost=1000")}
	answers("beside two", "/x?cost=2000", flooding, 503)
	answers("beside two", "/x?cost=2000", "192.0.2.1:9", 503)
	answers("beside two", "/x?cost=1000", flooding, 204)
	answers("beside two", "/x?cost=10001", flooding, 204)
	answers("beside two", "/x?cost=2000", other, 204)
	waiting := make(chan int)
	go func() { waiting <- h.get("/x?cost=2000").Code }()
	ends[0]()
	if got := <-waiting; got != 204 {
		t.Errorf("one that waited: %d", got)
	}
	ends[1]()
	answers("at last", "/x?cost=2000", flooding, 204)
}

// waitFor waits for something that another goroutine is about to do.
func waitFor(what func() bool) {
	for !what() {
		runtime.Gosched()
	}
}

// A waiting heavy query gets the slot of one that ends.
func TestHeavyQueryWaits(t *testing.T) {
	t.Parallel()
	h := newHeavyServer(t, time.Hour)
	end := h.stay(t, "/x?cost=1000")
	answered := make(chan int)
	go func() { answered <- h.get("/x?cost=101").Code }()
	waitFor(func() bool { return h.Counts().HeavyWaits == 1 })
	end()
	if got := <-answered; got != 204 {
		t.Error(got)
	}
}

// If a client disconnects, its query ends, over HTTP/1.1 also if the request had a body
// that was read.
func TestClientThatWentAwayEndsItsQuery(t *testing.T) {
	t.Parallel()
	h := newHeavyServer(t, time.Hour)
	address := listen(t, h.Server)
	end := h.stay(t, "/x?cost=1000")
	for i, request := range []string{
		"GET /x?cost=101 HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /x?cost=101 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
		"GET /x?cost=101 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
		"GET /x?cost=1&proves HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		client := dial(t, address, request)
		waitFor(func() bool { return h.Counts().HeavyWaits == uint64(i+1) })
		client.Close()
		waitFor(func() bool { return h.log.count("\n") == i+1 })
	}
	end()
	if h.log.count(`"status":499`) != 4 || h.Counts().HeavyRefused != 0 {
		t.Errorf("refused %d: %s", h.Counts().HeavyRefused, &h.log.Buffer)
	}
}

// The memory of all large responses and bodies together is limited; small ones are not
// counted. For a request that would need more than the limit, the error does not ask
// the client to retry.
func TestMemoryOfLargeRequests(t *testing.T) {
	t.Parallel()
	begun, end := make(chan bool), make(chan bool)
	s := testServer(t, io.Discard, func(x *request) error {
		bytes, _ := strconv.ParseInt(x.http.URL.Query().Get("bytes"), 10, 64)
		if err := x.Reserve(int(bytes)); err != nil {
			return err
		}
		if x.http.URL.Query().Has("stay") {
			begun <- true
			<-end
		}
		return nothing(x)
	})
	h := &heavyServer{Server: s, begun: begun, end: end}
	large := strconv.Itoa(edge.Memory)
	if got := h.get("/x?bytes=" + large).Code; got != 204 {
		t.Errorf("alone: %d", got)
	}
	if w := h.get("/x?bytes=" + strconv.Itoa(edge.Memory+1)); w.Code != 400 || !strings.Contains(w.Body.String(), "more than 256 MiB") {
		t.Errorf("too much: %d %s", w.Code, w.Body)
	}
	leave := h.stay(t, "/x?bytes="+large)
	const small = 64 << 10
	for bytes, want := range map[int]int{small: 204, small + 1: 503} {
		if got := h.get("/x?bytes=" + strconv.Itoa(bytes)).Code; got != want {
			t.Errorf("%d bytes: %d", bytes, got)
		}
	}
	leave()
	if got := h.get("/x?bytes=" + large).Code; got != 204 || s.Counts().Oversized != 1 {
		t.Errorf("afterwards: %d, %+v", got, s.Counts())
	}
}

func TestRequestsUnderWay(t *testing.T) {
	t.Parallel()
	h := newHeavyServer(t, 0)
	h.current.Load().schema.Settings.Limits.Requests = 1
	end := h.stay(t, "/x?cost=1")
	w := h.get("/x?cost=1")
	end()
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if got := h.get("/x?cost=1").Code; got != 204 || h.Counts().Requests != 0 || h.Counts().Crowded != 1 {
		t.Errorf("afterwards: %d, %+v", got, h.Counts())
	}
}

// A client that asks first gets the refusal of a body that is too large before it sends
// the body.
func TestLargeBodyIsRefusedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := testServer(t, io.Discard, func(x *request) error {
		if _, err := readBody(x, 1000); err != nil {
			return err
		}
		return nothing(x)
	})
	client := dial(t, listen(t, s), "GET /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil || response.StatusCode != 413 {
		t.Errorf("%v, %v", response, err)
	}
}

// Without a setting, there are as many slots as processors, and at least two.
func TestSlotsByDefault(t *testing.T) {
	l := edge.NewLoad(edge.Patience{})
	slots := newSlots(&settings.Limits{}, l)
	for i := range max(2, runtime.GOMAXPROCS(0)) {
		var q edge.Request
		if err := q.TakeSlots(t.Context(), slots, 1); err != nil {
			t.Fatalf("slot %d: %v", i, err)
		}
		defer q.ReturnSlots()
	}
	if err := new(edge.Request).TakeSlots(t.Context(), slots, 1); err != edge.ErrSlots {
		t.Errorf("with all slots taken: %v", err)
	}
}

// TakeSlots takes all slots for heavy queries until giveBack is called.
func (s *Server) TakeSlots() (giveBack func()) {
	var q edge.Request
	e := s.current.Load()
	if err := q.TakeSlots(context.Background(), e.slots, math.MaxInt64); err != nil {
		panic("somebody has a slot")
	}
	return q.ReturnSlots
}

// TakeMemory takes all memory for large responses, when those that were sent have
// released theirs.
func (s *Server) TakeMemory() (giveBack func()) {
	x := newRequest(s, httptest.NewRequest("GET", "/", nil))
	waitFor(func() bool { return x.share.TryReserveAnswer(edge.Memory) })
	return x.share.End
}

// TakeCoders takes all places for responses that are compressed.
func (s *Server) TakeCoders() (giveBack func()) {
	s.coders.Add(maxCoders)
	return func() { s.coders.Add(-maxCoders) }
}
