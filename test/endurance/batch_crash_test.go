package endurance

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// batchSize is how many documents a batch of these tests makes.
const batchSize = 120

// batcher sends batches to a program.
type batcher struct{ url, token string }

// ask returns an answer, or why there is none.
func (b *batcher) ask(method, path, body string) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, b.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// send makes the documents of a batch, and changes the first of them: all have the
// number of the batch in their names then. It reports whether that was acknowledged.
func (b *batcher) send(t *testing.T, number int) bool {
	t.Helper()
	var requests []string
	for i := range batchSize {
		requests = append(requests, fmt.Sprintf(`{"method": "POST", "url": "/api/cuisines", "body": {"data": {"name": "new %d %d"}}}`, number, i))
	}
	for i := range batchSize {
		requests = append(requests, fmt.Sprintf(`{"method": "PUT", "url": "/api/cuisines/{{%d.documentId}}", "body": {"data": {"name": "batch %d %d"}}}`, i, number, i))
	}
	status, answer, err := b.ask("POST", "/api/_batch", `{"requests": [`+strings.Join(requests, ",")+`]}`)
	if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
		t.Errorf("%d %.300s", status, answer)
	}
	return err == nil && status == http.StatusOK
}

// count is how many documents have a name that begins like that.
func (b *batcher) count(t *testing.T, name string) int {
	t.Helper()
	status, answer, err := b.ask("GET", "/api/cuisines?pagination[pageSize]=1&filters[name][$startsWith]="+strings.ReplaceAll(name, " ", "%20"), "")
	var list struct {
		Meta struct {
			Pagination struct{ Total int }
		}
	}
	if err == nil {
		err = json.Unmarshal(answer, &list)
	}
	if err != nil || status != http.StatusOK {
		t.Fatalf("%v: %d %s", err, status, answer)
	}
	return list.Meta.Pagination.Total
}

// After a kill at any moment a batch is there whole or not at all, and whole if it was
// acknowledged.
func TestKilledDuringABatch(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 3, 200)
	random := rand.New(rand.NewPCG(seed, 7))
	site := program.NewSite(t)
	b := &batcher{token: program.NewToken(t, site, "test", "full-access")}
	p := program.Serve(t, site)
	b.url = p.URL
	var begun time.Time
	for n := -1; n <= 0; n++ { // the second takes as long as those to come
		begun = time.Now()
		if !b.send(t, n) {
			t.Fatal("a batch was not taken")
		}
	}
	took, whole := time.Since(begun), 0
	for n := 1; n <= rounds; n++ {
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { p.Process.Kill() })
		acknowledged := b.send(t, n)
		timer.Stop()
		p.Kill()
		p = program.Serve(t, site)
		b.url = p.URL
		switch got := b.count(t, fmt.Sprintf("batch %d ", n)); {
		case got != 0 && got != batchSize, acknowledged && got == 0:
			t.Errorf("of batch %d there are %d documents; acknowledged: %t", n, got, acknowledged)
		case got > 0:
			whole++
		}
	}
	if half := b.count(t, "new "); half > 0 {
		t.Errorf("%d documents were made and not changed", half)
	}
	p.Kill()
	t.Logf("%d of %d batches are there", whole, rounds)
}
