//go:build cluster

package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quire/store/cluster/member"
)

// peer is a node of a test: it answers every request with its name.
type peer struct {
	*Node
	server    *httptest.Server
	suspended atomic.Bool
}

// joinPeer has a node join that has the schemas of the content by then. Its own answers are
// made by handler, nil for its name.
func joinPeer(t *testing.T, endpoint, site, name string, handler http.Handler) *peer {
	t.Helper()
	j, err := Open(Address{Endpoints: []string{endpoint}, Site: site}, Options{Node: name})
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	head, err := j.now(t.Context())
	must(t, err)
	n, err := Join(t.Context(), j, Member{Name: name, Address: l.Addr().String(), Schema: head.head.Schema}, slog.New(slog.DiscardHandler))
	must(t, err)
	if handler == nil {
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %s %s %t %q", name, r.Method, r.RequestURI, r.RemoteAddr, r.Host, Forwarded(r.Context()), body)
		})
	}
	p := &peer{Node: n}
	serving, config := n.Serving(handler, func() State { return State{Revision: 7, Suspended: p.suspended.Load()} })
	s := httptest.NewUnstartedServer(serving)
	s.Listener.Close()
	s.Listener, s.TLS = l, config
	s.EnableHTTP2 = true
	s.Config.ErrorLog = discarded
	s.StartTLS()
	p.server = s
	t.Cleanup(func() { n.Close(); s.CloseClientConnections(); s.Close(); j.Close() })
	return p
}

// forward asks a node to forward a request, as a client at 192.0.2.1 sent it.
func (p *peer) forward(t *testing.T, r *http.Request) (w *httptest.ResponseRecorder, done bool, err error) {
	t.Helper()
	w = httptest.NewRecorder()
	done, err = p.Forward(w, r)
	return w, done, err
}

func newWrite(body string) *http.Request {
	return httptest.NewRequest(http.MethodPost, "http://guide.example/api/dishes?populate=%2A&filters[a]=;b", strings.NewReader(body))
}

// look has a node see what the others have just done.
func (p *peer) lookNow(t *testing.T) {
	t.Helper()
	must(t, p.look(t.Context()))
}

// The first node that is asked to write does it, and the others forward to it what the
// client sent, as it sent it.
func TestWritesAreForwarded(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one, two := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "guide", "two", nil)
	if _, done, err := one.forward(t, newWrite("{}")); done || err != nil {
		t.Fatalf("the first node forwards: %v", err)
	}
	two.lookNow(t)
	w, done, err := two.forward(t, newWrite(`{"data":1}`))
	if !done || err != nil {
		t.Fatalf("the second node does not forward: %v", err)
	}
	want := `one POST /api/dishes?populate=%2A&filters[a]=;b 192.0.2.1:1234 guide.example true "{\"data\":1}"`
	if got := w.Body.String(); got != want {
		t.Errorf("the other node got\n%s, want\n%s", got, want)
	}
}

// A node takes over from one that is gone, and from one that went in order.
func TestAnotherNodeWritesWhenOneIsGone(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one, two, three := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "guide", "two", nil), joinPeer(t, endpoint, "guide", "three", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	one.server.CloseClientConnections()
	one.server.Close() // nobody listens there any more, and its key is still there
	if _, done, err := two.forward(t, newWrite("")); done || err != nil {
		t.Fatalf("the second node does not write itself: %v", err)
	}
	three.lookNow(t)
	if w, done, err := three.forward(t, newWrite("")); !done || err != nil || !strings.HasPrefix(w.Body.String(), "two ") {
		t.Errorf("the third node got %q, %v", w.Body, err)
	}
	two.Close()
	three.lookNow(t)
	if _, done, err := three.forward(t, newWrite("")); done || err != nil {
		t.Errorf("the third node does not write itself: %v", err)
	}
}

// A node that takes no writes, such as one whose disk is full, keeps the others from none.
func TestAnotherNodeWritesWhenOneTakesNoWrites(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one, two := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "guide", "two", nil)
	if _, done, err := one.forward(t, newWrite("")); done || err != nil {
		t.Fatalf("the first node to write forwards: %v", err)
	}
	two.lookNow(t)
	if _, done, err := two.forward(t, newWrite("")); !done || err != nil {
		t.Fatalf("the second node writes itself: %v", err)
	}
	one.suspended.Store(true)
	two.calls.ask(t.Context(), one.self)
	if _, done, err := two.forward(t, newWrite("")); done || err != nil {
		t.Errorf("the second node still forwards: %v", err)
	}
	one.suspended.Store(false)
	one.lookNow(t)
	if w, done, err := one.forward(t, newWrite("")); !done || err != nil || !strings.HasPrefix(w.Body.String(), "two ") {
		t.Errorf("the first node does not forward then: %v", err)
	}
}

// Of a write whose node has gone after it was sent, nobody says what became of it.
func TestTheOutcomeOfAForwardedWriteIsUnknown(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	arrived := make(chan struct{})
	one := joinPeer(t, endpoint, "guide", "one", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}))
	two := joinPeer(t, endpoint, "guide", "two", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	go func() {
		<-arrived
		one.server.CloseClientConnections()
	}()
	if _, done, err := two.forward(t, newWrite("{}")); !done || !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("%t, %v", done, err)
	}
}

// A write that is given up because its node is silent is not one whose client has gone.
func TestTheOutcomeOfAWriteAtASilentNodeIsUnknown(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	arrived := make(chan struct{})
	one := joinPeer(t, endpoint, "guide", "one", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}))
	two := joinPeer(t, endpoint, "guide", "two", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	go func() {
		<-arrived
		two.calls.giveUp(one.self)
	}()
	if _, done, err := two.forward(t, newWrite("{}")); !done || !errors.Is(err, ErrUnknownOutcome) || errors.Is(err, context.Canceled) {
		t.Errorf("%t, %v", done, err)
	}
}

// The node that writes is not asked whether it wants a body that this node has asked for.
func TestExpectIsNotForwarded(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one := joinPeer(t, endpoint, "guide", "one", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header["Expect"])
	}))
	two := joinPeer(t, endpoint, "guide", "two", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	r := newWrite("{}")
	r.Header.Set("Expect", "100-continue")
	if w, done, err := two.forward(t, r); !done || err != nil || w.Body.String() != "[]" {
		t.Errorf("%t %v %s", done, err, w.Body)
	}
}

// What a client may send that cannot be passed on as it is harms nobody else: the node that
// writes goes on to, and what others wait for is not given up.
func TestOddRequestsAreForwarded(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one := joinPeer(t, endpoint, "guide", "one", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, "one")
	}))
	two := joinPeer(t, endpoint, "guide", "two", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	entry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if done, err := two.Forward(w, r); !done || err != nil {
			t.Errorf("%v is not forwarded: %v", r.Header, err)
		}
	}))
	defer entry.Close()
	const post = "POST /api/dishes HTTP/1.1\r\nHost: guide.example\r\n"
	for name, text := range map[string]string{
		"a trailer with a space in its name":  post + "Trailer: a b\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"a trailer of a header of nodes":      post + "Trailer: Quire-Client\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nQuire-Client: 127.0.0.1:1\r\n\r\n",
		"another protocol":                    post + "Connection: Upgrade\r\nUpgrade: other\r\nContent-Length: 2\r\n\r\n{}",
		"a web socket":                        post + "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}",
		"a header of nodes of the connection": post + "Connection: Quire-Client\r\nQuire-Client: 127.0.0.1:1\r\nContent-Length: 2\r\n\r\n{}",
		"transfer codings":                    post + "TE: trailers, deflate\r\nConnection: TE\r\nContent-Length: 2\r\n\r\n{}",
		"an address of another host":          "POST http://other.example:1/api/dishes HTTP/1.1\r\nHost: guide.example\r\nContent-Length: 2\r\n\r\n{}",
		"many short headers":                  post + strings.Repeat("a:1\r\n", 12_000) + "Content-Length: 2\r\n\r\n{}",
	} {
		if answer := sendRaw(t, entry.Listener.Addr().String(), text); !strings.HasPrefix(answer, "HTTP/1.1 200 ") || !strings.HasSuffix(answer, "one") && !strings.Contains(answer, "\r\none\r\n") {
			t.Errorf("%s: %s", name, answer)
		}
	}
	if two.lookNow(t); two.seen.Load().writer != "one" {
		t.Errorf("then %s writes", two.seen.Load().writer)
	}
}

// sendRaw sends a text to an address and returns the answer, of one request.
func sendRaw(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	must(t, err)
	defer c.Close()
	text = strings.Replace(text, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(c) // it may break off
	return string(answer)
}

// A client cannot say which address it has: that is what this node saw.
func TestClientsCannotSayWhoTheyAre(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one := joinPeer(t, endpoint, "guide", "one", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.RemoteAddr, " ", r.TLS != nil, " ", r.Header["Quire-Client"], r.Header["Quire-Client-Scheme"], r.Header["X-Forwarded-For"])
	}))
	two := joinPeer(t, endpoint, "guide", "two", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	r := newWrite("{}")
	for _, name := range []string{"Quire-Client", "quire-client", "Quire-Client-Scheme"} {
		r.Header[name] = []string{"127.0.0.1:1", "https"}
	}
	r.Header.Set("X-Forwarded-For", "198.51.100.7")
	r.TLS = nil
	w, done, err := two.forward(t, r)
	if got, want := w.Body.String(), "192.0.2.1:1234 false [] [] [198.51.100.7]"; !done || err != nil || got != want {
		t.Errorf("the other node got %q, want %q, %v", got, want, err)
	}
}

// Nobody but nodes gets in where nodes forward to.
func TestStrangersDoNotGetInAmongNodes(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	beginEmpty(t, openJournal(t, endpoint, "other"))
	one, other := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "other", "one", nil)
	stranger := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	for name, transport := range map[string]*http.Transport{"without a certificate": stranger, "a node of another site": other.calls.transport} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+one.self.Address+statePath, nil)
		must(t, err)
		if answer, err := transport.RoundTrip(request); err == nil {
			answer.Body.Close()
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	states, err := one.Journal.Nodes(t.Context())
	if err != nil || len(states) != 1 || states[0].Problem != "" || states[0].Revision != 7 {
		t.Errorf("a node sees %+v, %v", states, err)
	}
}

// One node has the duties at a time, and another one takes them over when it goes.
func TestOneNodeHasTheDuties(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one, two := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "guide", "two", nil)
	began := make(chan string)
	serve := func(p *peer) (stop context.CancelFunc, ended chan struct{}) {
		ctx, stop := context.WithCancel(t.Context())
		ended = make(chan struct{})
		go func() {
			defer close(ended)
			p.OnDuty(ctx, func(ctx context.Context) {
				select {
				case began <- p.self.Name:
				case <-ctx.Done():
				}
				<-ctx.Done()
			})
		}()
		return stop, ended
	}
	stopOne, oneEnded := serve(one)
	first := <-began
	stopTwo, twoEnded := serve(two)
	two.lookNow(t)
	if two.takeDuty(t.Context()) {
		t.Error("two nodes have the duties")
	}
	if first != "one" {
		t.Errorf("%s has the duties", first)
	}
	stopOne()
	<-oneEnded
	one.Close()
	if second := <-began; second != "two" {
		t.Errorf("%s has the duties then", second)
	}
	stopTwo()
	<-twoEnded
}

// A node that has not heard of etcd for a while says so, and has no duties.
func TestANodeKnowsThatItIsCutOff(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one := joinPeer(t, endpoint, "guide", "one", nil)
	one.stop() // it looks no more
	one.running.Wait()
	one.lookNow(t)
	one.change(func(v *clusterView) { v.duty = "one" })
	if one.Stale() || !one.onDuty() {
		t.Error("a node that has heard of etcd is cut off")
	}
	one.Journal.heard.Store(time.Now().Add(-leaseTime * time.Second).UnixNano())
	if !one.Stale() || one.onDuty() {
		t.Error("a node that has not heard of etcd is not cut off")
	}
}

// A node that writes and does not hear of etcd any more makes way for one that does, and
// forwards to that. As long as no other one hears of etcd either, it stays.
func TestANodeThatIsCutOffMakesWay(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one, two := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "guide", "two", nil)
	if _, done, err := one.forward(t, newWrite("")); done || err != nil {
		t.Fatalf("the first node to write forwards: %v", err)
	}
	for _, n := range []*peer{one, two} { // they look no more
		n.lookNow(t)
		n.stop()
		n.running.Wait()
	}
	deafen := func(n *peer) { n.Journal.heard.Store(time.Now().Add(-2 * cutOffAfter).UnixNano()) }
	hear := func(n *peer) { n.Journal.heard.Store(time.Now().Add(time.Hour).UnixNano()) }
	deafen(one)
	deafen(two)
	two.calls.ask(t.Context(), one.self)
	if w, done, err := two.forward(t, newWrite("")); !done || err != nil || !strings.HasPrefix(w.Body.String(), "one ") {
		t.Errorf("while neither hears of etcd, the second node got %q, %v", w.Body, err)
	}
	if _, done, err := one.forward(t, newWrite("")); done || err != nil {
		t.Errorf("while neither hears of etcd, the first node forwards: %v", err)
	}
	hear(two)
	one.calls.ask(t.Context(), two.self)
	if w, done, err := one.forward(t, newWrite("")); !done || err != nil || !strings.HasPrefix(w.Body.String(), "two ") {
		t.Errorf("the node that is cut off got %q, %v", w.Body, err)
	}
	two.calls.ask(t.Context(), one.self)
	if _, done, err := two.forward(t, newWrite("")); done || err != nil {
		t.Errorf("the second node still forwards: %v", err)
	}
}

// What waits for a node that does not hear of etcd any more is given up.
func TestWhatWaitsForANodeThatIsCutOffIsGivenUp(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	arrived, gone := make(chan struct{}), make(chan struct{})
	one := joinPeer(t, endpoint, "guide", "one", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(gone)
	}))
	two := joinPeer(t, endpoint, "guide", "two", nil)
	one.forward(t, newWrite(""))
	two.lookNow(t)
	failed := make(chan error)
	go func() {
		_, _, err := two.forward(t, newWrite(""))
		failed <- err
	}()
	<-arrived
	one.stop()
	one.running.Wait()
	one.Journal.heard.Store(time.Now().Add(-2 * cutOffAfter).UnixNano())
	if err := <-failed; !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("the client is answered %v", err)
	}
	<-gone
}

// Two nodes of one name do not serve at once; one that is gone makes way.
func TestANodeHasItsName(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one := joinPeer(t, endpoint, "guide", "one", nil)
	join := func() error {
		j := openJournal(t, endpoint, "guide")
		n, err := Join(t.Context(), j, Member{Name: "one", Address: "127.0.0.1:1"}, slog.New(slog.DiscardHandler))
		if err == nil {
			n.Close()
		}
		return err
	}
	var taken *NameError
	if err := join(); !errors.As(err, &taken) || taken.Address != one.self.Address {
		t.Errorf("a second node of the name: %v", err)
	}
	one.server.CloseClientConnections()
	one.server.Close()
	if err := join(); err != nil {
		t.Errorf("once the other is gone: %v", err)
	}
}
