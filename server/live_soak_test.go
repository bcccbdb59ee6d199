package server_test

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth"
	"quire/content/event"
	"quire/schema"
	"quire/server"
	"quire/server/edge"
	"quire/store"
)

var (
	soakWrites = flag.Int("stream-writes", 25, "`WRITES` of each writer between two restarts in TestStreamsSoak")
	soakSeed   = flag.Uint64("stream-seed", 0, "`SEED` of what its writers and clients do, 0 for a new one")
)

// Clients come, go, stall, are interrupted within an event, and resume, while the server
// restarts. Each of them receives everything that it may see exactly once, in order.
func TestStreamsSoak(t *testing.T) {
	t.Parallel()
	seed := *soakSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-stream-seed %d", seed)
	l := newSoakedSite(t)
	start := l.revision()
	l.start()
	var begun, ended sync.WaitGroup
	for i, c := range l.clients(start) {
		c.Rand = rand.New(rand.NewPCG(seed, uint64(i)))
		begun.Add(1)
		c.begins = sync.OnceFunc(begun.Done)
		ended.Go(c.follow)
	}
	begun.Wait()
	for phase := range uint64(3) {
		var writing sync.WaitGroup
		for i := range uint64(2) {
			w := &soakWriter{soakedSite: l, Rand: rand.New(rand.NewPCG(seed, 100+10*phase+i)), name: fmt.Sprintf("%d-%d", phase, i), drops: phase == 0}
			writing.Go(w.write)
		}
		writing.Wait()
		l.restart(phase == 2)
	}
	ended.Wait()
	t.Logf("%d events in the log", len(l.logged))
	l.stop()
}

// soakedSite is a server that is stopped and started again while clients listen.
type soakedSite struct {
	t      *testing.T
	folder string
	site   *schema.Site
	tokens map[string]string

	up     sync.RWMutex // held while it is stopped
	server *server.Server
	plain  string // addresses, without and with TLS
	secure string
	stop   func()

	mu      sync.Mutex
	moved   *sync.Cond // after each write, and each start
	starts  int
	written bool           // nothing more will be written
	logged  []event.Commit // then, as the data file has it
}

func newSoakedSite(t *testing.T) *soakedSite {
	l := &soakedSite{t: t, folder: t.TempDir(), site: sampleSite(t), tokens: map[string]string{}}
	l.moved = sync.NewCond(&l.mu)
	l.site.Settings.Limits.Streams, l.site.Settings.Limits.StreamsPerAddress = 500, 500
	_, keys, stop := open(t, l.folder, l.site, slog.New(slog.DiscardHandler))
	defer stop()
	l.tokens["full"] = createToken(t, keys, "full", auth.FullAccess)
	h := &accountSite{auth: keys}
	l.tokens["editor"] = h.customToken(t, "editor", dishUID+".find", dishUID+".readDraft")
	l.tokens["restricted"] = h.customToken(t, "restricted", "api::chef.chef.find")
	return l
}

// start serves the site again, over HTTP/1.1 and HTTP/2.
func (l *soakedSite) start() {
	s, _, stop := open(l.t, l.folder, l.site, slog.New(slog.DiscardHandler))
	patience := edge.UsualPatience()
	patience.Stream = 400 * time.Millisecond
	s.SetPatience(patience)
	certificates := httptest.NewTLSServer(nil)
	certificates.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serve := func(serve func(net.Listener) error) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(l.t, err)
		serving.Go(func() {
			if err := serve(listener); err != nil {
				l.t.Error(err)
			}
		})
		return listener.Addr().String()
	}
	l.server = s
	l.plain = serve(func(on net.Listener) error { return s.Serve(ctx, on) })
	l.secure = serve(func(on net.Listener) error { return s.ServeTLS(ctx, on, certificates.TLS) })
	l.stop = sync.OnceFunc(func() { cancel(); serving.Wait(); stop() })
	l.t.Cleanup(l.stop)
	l.mu.Lock()
	l.starts++
	l.mu.Unlock()
	l.moved.Broadcast()
}

// restart stops the server and starts it again. After the last writes, it reads the log
// directly from the data file.
func (l *soakedSite) restart(last bool) {
	l.up.Lock()
	defer l.up.Unlock()
	l.t.Logf("%d streams were dropped", l.server.Counts().StreamsDropped)
	l.stop()
	if last {
		l.view(func(tx *store.Tx) error {
			floor, err := event.Floor(tx)
			check(l.t, err)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.written = true
			return event.Read(tx, floor, func(c event.Commit) bool {
				l.logged = append(l.logged, c)
				return true
			})
		})
	}
	l.start()
}

func (l *soakedSite) view(fn func(*store.Tx) error) {
	db, err := store.Open(filepath.Join(l.folder, "quire.db"), store.Options{})
	check(l.t, err)
	check(l.t, db.View(fn))
	check(l.t, db.Close())
}

func (l *soakedSite) revision() (revision uint64) {
	l.view(func(tx *store.Tx) error { revision = tx.Revision(); return nil })
	return revision
}

// ended reports whether everything has been written.
func (l *soakedSite) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// soakWriter writes documents of its own.
type soakWriter struct {
	*soakedSite
	*rand.Rand
	name  string
	drops bool // continues until a stream was dropped
	n     int
	made  []string // paths of documents
}

func (w *soakWriter) write() {
	for i := 0; i < *soakWrites || w.drops && w.server.Counts().StreamsDropped == 0; i++ {
		if w.IntN(4) == 0 {
			var parts []batched
			for range 1 + w.IntN(12) {
				method, url, body := w.next()
				parts = append(parts, batched{"method": method, "url": url, "body": body})
			}
			w.send("POST", "/api/_batch", batchOf(w.t, parts))
		} else {
			method, url, body := w.next()
			text, _ := strings.CutPrefix(batchOf(w.t, []batched{body}), `{"requests":[`)
			w.send(method, url, strings.TrimSuffix(text, "]}"))
		}
		w.moved.Broadcast()
	}
}

// next returns a write of a document: an own one or a new one.
func (w *soakWriter) next() (method, path string, body batched) {
	w.n++
	data := batched{"name": fmt.Sprintf("%s %d", w.name, w.n)}
	kind := []string{"dishes", "chefs", "restaurants"}[w.IntN(3)]
	if len(w.made) > 0 && w.IntN(2) == 0 {
		path = w.made[w.IntN(len(w.made))]
		kind, _, _ = strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	}
	status := []string{"", "?status=draft"}[w.IntN(2)]
	if kind == "restaurants" {
		data["story"] = strings.Repeat("story ", 5000)
		status = "?locale=" + []string{"en", "fr"}[w.IntN(2)] + strings.Replace(status, "?", "&", 1)
	}
	switch w.IntN(6) {
	case 0, 1, 2:
	case 3:
		if path != "" {
			return "DELETE", path, nil
		}
	default:
		if path != "" {
			return "POST", path + "/actions/" + []string{"publish", "unpublish"}[w.IntN(2)], nil
		}
	}
	if path == "" {
		return "POST", "/api/" + kind + status, batched{"data": data}
	}
	return "PUT", path + status, batched{"data": data}
}

// send writes, and records what it created. A write of a deleted document is refused.
func (w *soakWriter) send(method, path, body string) {
	h := &accountSite{site: w.site, handler: w.server.Handler(), client: &client{t: w.t, tokens: w.tokens}}
	a := h.send("full", method, path, body)
	if a.status >= 500 || a.status == 401 || a.status == 403 {
		w.t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "?")
	if a.status == http.StatusCreated {
		w.made = append(w.made, "/api/"+kind+"/"+a.documentID(w.t))
	}
}

// dialSlow opens a separate connection. What the client does not read waits in the server.
func dialSlow(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		err = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
	}
	return conn, err
}

// open opens a stream over a separate connection, when the server runs.
func (l *soakedSite) open(ctx context.Context, as, query, last string, http2 bool) (*http.Response, error) {
	l.up.RLock()
	defer l.up.RUnlock()
	transport := &http.Transport{DialContext: dialSlow, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
	url := "http://" + l.plain
	if http2 {
		url = "https://" + l.secure
	}
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/api/_events"+query, nil)
	if err != nil {
		return nil, err
	}
	if token := l.tokens[as]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	context.AfterFunc(ctx, transport.CloseIdleConnections)
	return transport.RoundTrip(r)
}
