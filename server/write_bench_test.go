package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// The cost of a create over HTTP, compared with what bbolt alone needs for the same buckets,
// keys and bytes, on the same disk and in the same run.

// created are bodies of creates, by the plural names of their types.
var created = map[string]string{
	"reviews":     `{"data": {"note": 7, "content": "written under load"}}`,
	"restaurants": `{"data": {"name": "Biscotte", "tagline": "What the boats bring in", "story": "A place by the harbour, with a terrace for summer.", "price_tier": "p2", "stars": 4, "rating": 4.25, "vegan": true, "location": {"street": "1 Quay", "city": "Lyon"}}}`,
}

// BenchmarkCreateBesideBolt creates over one connection. After each create, bbolt alone does
// the same update. The times are medians.
func BenchmarkCreateBesideBolt(b *testing.B) {
	for plural, body := range created {
		b.Run(plural, func(b *testing.B) {
			p := openPair(b, plural, body)
			conn := p.dial(b)
			var ours, bolts []time.Duration
			for b.Loop() {
				begun := time.Now()
				conn.ask(b, p.create, "201")
				ours = append(ours, time.Since(begun))
				begun = time.Now()
				p.bolt.commit(b, 1)
				bolts = append(bolts, time.Since(begun))
			}
			b.ReportMetric(ratio(quantile(ours, .5), quantile(bolts, .5)), "of-bbolt")
			b.ReportMetric(float64(quantile(ours, .5).Microseconds()), "µs/create")
			b.ReportMetric(float64(quantile(bolts, .5).Microseconds()), "µs/bbolt-update")
		})
	}
}

// BenchmarkManyCreatesBesideBolt creates over 64 connections at once. bbolt alone commits the
// same entries: as many at a time as Quire did, then 64, which is the most that can wait for
// one commit, and 256. Both files have 19,200 such documents at the beginning. One operation
// is 6,400 creates by each.
func BenchmarkManyCreatesBesideBolt(b *testing.B) {
	const connections, each = 64, 100
	for plural, body := range created {
		b.Run(plural, func(b *testing.B) {
			p := openServer(b, plural, body)
			clients := make([]*wire, connections)
			for i := range clients {
				clients[i] = p.dial(b)
			}
			together(b, clients, 300, p.create)
			p.bolt = p.openBare(b)
			var ours, alike, full, large time.Duration
			var answers []time.Duration
			var commits uint64
			for b.Loop() {
				commit, begun := p.revision(b), time.Now()
				answers = append(answers, together(b, clients, each, p.create)...)
				ours += time.Since(begun)
				commits += p.revision(b) - commit
				alike += p.bolt.commitAll(b, connections*each, len(answers)/int(commits))
				full += p.bolt.commitAll(b, connections*each, connections)
				large += p.bolt.commitAll(b, connections*each, 256)
			}
			n := float64(len(answers))
			b.ReportMetric(ratio(alike, ours), "of-bbolt-alike")
			b.ReportMetric(ratio(full, ours), "of-bbolt-by-64")
			b.ReportMetric(ratio(large, ours), "of-bbolt-by-256")
			b.ReportMetric(n/ours.Seconds(), "creates/s")
			b.ReportMetric(n/float64(commits), "creates/commit")
			b.ReportMetric(float64(quantile(answers, .99).Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkCreatesInABatch does 1,000 creates in one batch, and 1,000 one after the other
// over one connection.
func BenchmarkCreatesInABatch(b *testing.B) {
	const many = 1000
	for plural, body := range created {
		b.Run(plural, func(b *testing.B) {
			p := openServer(b, plural, body)
			conn := p.dial(b)
			batch := p.batchOf(plural, many)
			conn.ask(b, batch, "200")
			var alone, together time.Duration
			for b.Loop() {
				begun := time.Now()
				for range many {
					conn.ask(b, p.create, "201")
				}
				alone += time.Since(begun)
				begun = time.Now()
				conn.ask(b, batch, "200")
				together += time.Since(begun)
			}
			b.ReportMetric(ratio(alone, together), "times-as-fast")
			b.ReportMetric(float64(together.Milliseconds())/float64(b.N), "ms/batch")
			b.ReportMetric(many*float64(b.N)/alone.Seconds(), "creates/s-alone")
		})
	}
}

// BenchmarkCreatesBesideBatches creates over one connection, alone and while another one
// sends batches of 1,000. One operation is half a second of each.
func BenchmarkCreatesBesideBatches(b *testing.B) {
	p := openServer(b, "restaurants", created["restaurants"])
	batch := p.batchOf("restaurants", 1000)
	var alone, beside []time.Duration
	for b.Loop() {
		for _, took := range []*[]time.Duration{&alone, &beside} {
			stop := make(chan struct{})
			var all sync.WaitGroup
			if took == &beside {
				all.Go(func() { p.hammer(b, 1, batch, "200", stop) })
			}
			conn := p.dial(b)
			for begun := time.Now(); time.Since(begun) < busyFor; {
				requested := time.Now()
				conn.ask(b, p.create, "201")
				*took = append(*took, time.Since(requested))
			}
			close(stop)
			all.Wait()
			conn.Close()
		}
	}
	b.ReportMetric(float64(quantile(alone, .99).Microseconds())/1000, "p99-ms-alone")
	b.ReportMetric(float64(quantile(beside, .99).Microseconds())/1000, "p99-ms-beside")
}

// batchOf returns a request with that many creates of a type.
func (p *pair) batchOf(plural string, many int) []byte {
	one := `{"method": "POST", "url": "/api/` + plural + `", "body": ` + created[plural] + `}`
	return requestOf("POST", "/api/_batch", p.token, `{"requests": [`+strings.Repeat(one+",", many-1)+one+`]}`)
}

// BenchmarkReadsBesideWrites reads lists over 16 connections, alone and while others create
// at full speed. It reports the remaining share of the rate, and how many times as long the
// 99th percentile takes. One operation is half a second of each.
func BenchmarkReadsBesideWrites(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			p := openPair(b, "reviews", created["reviews"])
			conn := p.dial(b)
			full := requestOf("POST", "/api/restaurants", p.token, created["restaurants"])
			for range 100 {
				conn.ask(b, full, "201")
			}
			var alone, beside, writes []time.Duration
			for b.Loop() {
				alone = append(alone, p.busy(b, 16, requestOf("GET", "/api/restaurants", "", ""), "200", nil)...)
				beside = append(beside, p.busy(b, 16, requestOf("GET", "/api/restaurants", "", ""), "200", func(stop <-chan struct{}) {
					writes = append(writes, p.hammer(b, writers, p.create, "201", stop)...)
				})...)
			}
			seconds := float64(b.N) * busyFor.Seconds()
			b.ReportMetric(float64(len(beside))/float64(len(alone)), "of-reads-alone")
			b.ReportMetric(float64(len(alone))/seconds, "reads/s-alone")
			b.ReportMetric(float64(len(beside))/seconds, "reads/s-beside")
			b.ReportMetric(float64(len(writes))/seconds, "creates/s-beside")
			b.ReportMetric(ratio(quantile(beside, .99), quantile(alone, .99)), "of-p99-alone")
			b.ReportMetric(float64(quantile(beside, .99).Microseconds())/1000, "p99-ms-beside")
		})
	}
}

// pair is a server, and a bbolt file on the same disk with the same content.
type pair struct {
	address, token string
	file           string
	create         []byte // the request
	bolt           *bareBolt
}

func openPair(b *testing.B, plural, body string) *pair {
	b.Helper()
	p := openServer(b, plural, body)
	p.bolt = p.openBare(b)
	return p
}

// openServer opens a pair without a bbolt file.
func openServer(b *testing.B, plural, body string) *pair {
	b.Helper()
	folder := b.TempDir()
	s, keys, _ := open(b, folder, sampleSite(b), slog.New(slog.NewJSONHandler(io.Discard, nil)))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(b, err)
	ctx, stop := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		if err := s.Serve(ctx, l); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(served.Wait)
	b.Cleanup(stop)
	p := &pair{address: l.Addr().String(), token: createToken(b, keys, "bench", "full-access"), file: filepath.Join(folder, "quire.db")}
	p.create = requestOf("POST", "/api/"+plural, p.token, body)
	return p
}

// openBare finds out what one create writes, and copies the data file to write the same to
// the copy.
func (p *pair) openBare(b *testing.B) *bareBolt {
	b.Helper()
	conn := p.dial(b)
	conn.ask(b, p.create, "201") // also writes what only the first create writes
	before := p.stored(b)
	conn.ask(b, p.create, "201")
	conn.Close()
	bare := &bareBolt{DB: p.copied(b)}
	for name, value := range itemsOf(b, bare.DB) {
		if before[name] != value {
			bare.puts = append(bare.puts, put{strings.Split(name, "\x00"), []byte(value)})
		}
	}
	if len(bare.puts) < 3 { // an entry, a sequence and the revision
		b.Fatalf("a create writes %d values only", len(bare.puts))
	}
	return bare
}

// copied opens a copy of the data file as the store opens the file itself.
func (p *pair) copied(b *testing.B) *bbolt.DB {
	b.Helper()
	content, err := os.ReadFile(p.file)
	check(b, err)
	copied := filepath.Join(b.TempDir(), "bare.db")
	check(b, os.WriteFile(copied, content, 0o600))
	db, err := bbolt.Open(copied, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistArrayType, InitialMmapSize: 1 << 30})
	check(b, err)
	db.AllocSize = 4 << 20
	b.Cleanup(func() { check(b, db.Close()) })
	return db
}

func (p *pair) stored(b *testing.B) map[string]string { return itemsOf(b, p.copied(b)) }

func (p *pair) revision(b *testing.B) uint64 {
	return binary.BigEndian.Uint64([]byte(p.stored(b)["meta\x00revision"]))
}

// itemsOf returns every value by the path of its key.
func itemsOf(b *testing.B, db *bbolt.DB) map[string]string {
	b.Helper()
	items := map[string]string{}
	var walk func(path string, bucket *bbolt.Bucket) error
	walk = func(path string, bucket *bbolt.Bucket) error {
		return bucket.ForEach(func(key, value []byte) error {
			if value == nil {
				return walk(path+string(key)+"\x00", bucket.Bucket(key))
			}
			items[path+string(key)] = string(value)
			return nil
		})
	}
	check(b, db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error { return walk(string(name)+"\x00", bucket) })
	}))
	return items
}

// bareBolt writes only what creates write.
type bareBolt struct {
	*bbolt.DB
	puts   []put
	number uint64
}

type put struct {
	path  []string // buckets, and the key
	value []byte
}

// commit writes n creates in one update.
func (s *bareBolt) commit(b *testing.B, n int) {
	check(b, s.Update(func(tx *bbolt.Tx) error {
		for range n {
			s.number++
			id := rand.Text()[:24]
			for _, p := range s.puts {
				if err := s.put(tx, p, id); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// commitAll writes n creates, batch of them in one update, and returns the duration.
func (s *bareBolt) commitAll(b *testing.B, n, batch int) time.Duration {
	begun := time.Now()
	for ; n > 0; n -= batch {
		s.commit(b, min(batch, n))
	}
	return time.Since(begun)
}

// put stores one value: an entry under a new documentId, or the next number.
func (s *bareBolt) put(tx *bbolt.Tx, p put, id string) error {
	bucket := tx.Bucket([]byte(p.path[0]))
	last := len(p.path) - 1
	for _, name := range p.path[1:last] {
		bucket = bucket.Bucket([]byte(name))
	}
	if p.path[0] != "content" {
		return bucket.Put([]byte(p.path[last]), binary.BigEndian.AppendUint64(nil, s.number))
	}
	return bucket.Put([]byte(id+p.path[last][len(id):]), p.value)
}

// busyFor is the duration of each half of an operation of BenchmarkReadsBesideWrites.
const busyFor = 500 * time.Millisecond

// busy returns the duration of each response over that many connections, while something else
// runs beside it.
func (p *pair) busy(b *testing.B, connections int, request []byte, status string, beside func(stop <-chan struct{})) (took []time.Duration) {
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { took = p.hammer(b, connections, request, status, stop) })
	if beside != nil {
		all.Go(func() { beside(stop) })
	}
	<-time.After(busyFor)
	close(stop)
	all.Wait()
	return took
}

// hammer sends a request repeatedly over that many connections, and returns the duration of
// each response.
func (p *pair) hammer(b *testing.B, connections int, request []byte, status string, stop <-chan struct{}) []time.Duration {
	took := make([][]time.Duration, connections)
	var clients sync.WaitGroup
	for i := range connections {
		conn := p.dial(b)
		clients.Go(func() {
			defer conn.Close()
			for {
				select {
				case <-stop:
					return
				default:
					begun := time.Now()
					conn.ask(b, request, status)
					took[i] = append(took[i], time.Since(begun))
				}
			}
		})
	}
	clients.Wait()
	return slices.Concat(took...)
}

// together lets every client send a request that many times, and returns the duration of each
// response.
func together(b *testing.B, clients []*wire, times int, request []byte) []time.Duration {
	took := make([]time.Duration, len(clients)*times)
	var all sync.WaitGroup
	for i, conn := range clients {
		all.Go(func() {
			for n := range times {
				begun := time.Now()
				conn.ask(b, request, "201")
				took[i*times+n] = time.Since(begun)
			}
		})
	}
	all.Wait()
	return took
}

// wire is a connection that costs next to nothing except for the request itself.
type wire struct {
	net.Conn
	answers *bufio.Reader
}

func (p *pair) dial(b *testing.B) *wire {
	b.Helper()
	conn, err := net.Dial("tcp", p.address)
	check(b, err)
	b.Cleanup(func() { conn.Close() })
	return &wire{conn, bufio.NewReaderSize(conn, 64<<10)}
}

func requestOf(method, path, token, body string) []byte {
	credential := ""
	if token != "" {
		credential = "Authorization: Bearer " + token + "\r\n"
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: bench\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, credential, len(body), body)
}

// ask sends a request, and reads the response, which must have that status.
func (w *wire) ask(b *testing.B, request []byte, status string) {
	err := w.try(request, status)
	if err != nil {
		b.Error(err)
	}
}

func (w *wire) try(request []byte, status string) error {
	if _, err := w.Write(request); err != nil {
		return err
	}
	length := -1
	for first := true; ; first = false {
		line, err := w.answers.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 "+status)) {
			return fmt.Errorf("answered %s", line)
		}
		if text, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, err = strconv.Atoi(string(text))
		}
		if err != nil {
			return err
		}
		if len(line) == 0 {
			break
		}
	}
	if length < 0 {
		return errors.New("answered without a length")
	}
	_, err := w.answers.Discard(length)
	return err
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func quantile(took []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[int(share*float64(len(sorted)-1))]
}
