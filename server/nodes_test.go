package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"quire/auth"
	"quire/server"
	"quire/store"
	"quire/store/storetest"
)

// others are the other nodes in a test. to is the one that writes; nil for this one.
type others struct {
	to     http.Handler
	failed error // Forward returns it instead
	stale  bool
	live   int  // number of nodes; 0 for one
	read   bool // whether Forward fails if the body cannot be read
	calls  atomic.Int64
}

type fromNode struct{}

func (o *others) Forward(w http.ResponseWriter, r *http.Request) (bool, error) {
	o.calls.Add(1)
	if o.to == nil || o.failed != nil {
		return o.failed != nil, o.failed
	}
	if o.read {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return true, err
		}
	}
	clear(w.Header())
	o.to.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), fromNode{}, true)))
	return true, nil
}

func (o *others) Forwarded(ctx context.Context) bool { return ctx.Value(fromNode{}) != nil }

func (o *others) Stale() bool { return o.stale }

func (o *others) Live() int { return max(1, o.live) }

// twoNodes opens two nodes of one site. The first one writes.
func twoNodes(t *testing.T) (one, two http.Handler, journal *storetest.Memory, others1, others2 *others, token string) {
	t.Helper()
	journal, others1, others2 = storetest.NewMemory(), &others{}, &others{}
	open := func(o *others) (*server.Server, *auth.Auth) {
		s, keys, _ := openAmong(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler), journal, o)
		return s, keys
	}
	first, keys := open(others1)
	second, _ := open(others2)
	others2.to = first.Handler()
	return first.Handler(), second.Handler(), journal, others1, others2, createToken(t, keys, "full", auth.FullAccess)
}

// ask sends a request to a node, with further headers.
func ask(h http.Handler, method, path, token, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const createCategory = `{"data": {"name": "Soup"}}`

// After any node has acknowledged a write, every node shows it to callers with a credential.
func TestANodeShowsWhatAnotherHasAcknowledged(t *testing.T) {
	t.Parallel()
	one, two, _, _, others2, token := twoNodes(t)
	others2.to = nil // both nodes write
	for i := range 20 {
		by, other := one, two
		if i%2 == 1 {
			by, other = two, one
		}
		body := strings.ReplaceAll(createCategory, "Soup", "Soup "+strconv.Itoa(i))
		if w := ask(by, http.MethodPost, "/api/categories", token, body); w.Code != http.StatusCreated {
			t.Fatalf("write %d: %d %s", i, w.Code, w.Body)
		}
		w := ask(other, http.MethodGet, "/api/categories?pagination[limit]=1", token, "")
		if want := `"total":` + strconv.Itoa(i+1); !strings.Contains(w.Body.String(), want) {
			t.Fatalf("after write %d the other node answers %d %s", i, w.Code, w.Body)
		}
	}
}

// A write sees everything that any node has acknowledged, such as changes of its document and
// of its credential.
func TestAWriteSeesWhatAnotherNodeHasAcknowledged(t *testing.T) {
	t.Parallel()
	one, two, _, _, others2, token := twoNodes(t)
	others2.to = nil // both nodes write
	for i := range 50 {
		by, other := one, two
		if i%2 == 1 {
			by, other = two, one
		}
		w := ask(by, http.MethodPost, "/api/categories", token, strings.ReplaceAll(createCategory, "Soup", "Soup "+strconv.Itoa(i)))
		_, rest, _ := strings.Cut(w.Body.String(), `"documentId":"`)
		id, _, _ := strings.Cut(rest, `"`)
		if w := ask(other, http.MethodPut, "/api/categories/"+id, token, `{"data": {}}`); w.Code != http.StatusOK {
			t.Fatalf("of the document that one node has made the other one says %d %s", w.Code, w.Body)
		}
	}
}

// If the node that should write receives nothing from the others, it forwards to the node
// that has replaced it. If there is none, nothing is written.
func TestAWriteOfANodeThatIsCutOffGoesToAnother(t *testing.T) {
	t.Parallel()
	one, two, journal, _, others2, token := twoNodes(t)
	others2.to = nil
	journal.Silence = func() error { return io.ErrUnexpectedEOF }
	if w := ask(two, http.MethodPost, "/api/categories", token, createCategory); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "nothing was stored") {
		t.Errorf("where no node hears: %d %s", w.Code, w.Body)
	}
	journal.Silence = func() error { return context.DeadlineExceeded }
	if w := ask(two, http.MethodGet, "/api/categories", token, ""); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "does not hear of the others") {
		t.Errorf("a read there: %d %s", w.Code, w.Body)
	}
	journal.Silence = func() error {
		if others2.to == nil {
			others2.to = one
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	if w := ask(two, http.MethodPost, "/api/categories", token, createCategory); w.Code != http.StatusCreated {
		t.Errorf("where another one hears: %d %s", w.Code, w.Body)
	}
}

// Only requests that may write are forwarded, and the response is that of the other node.
func TestWritesAloneAreForwarded(t *testing.T) {
	t.Parallel()
	_, two, _, _, others2, token := twoNodes(t)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		ask(two, method, "/api/categories", token, "")
	}
	if n := others2.calls.Load(); n != 0 {
		t.Errorf("%d reads were forwarded", n)
	}
	w := ask(two, http.MethodPost, "/api/categories", token, createCategory)
	if others2.calls.Load() != 1 || w.Code != http.StatusCreated || len(w.Header()["Access-Control-Allow-Origin"]) != 1 {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// A node answers forwarded requests itself.
func TestAForwardedRequestIsNotForwardedAgain(t *testing.T) {
	t.Parallel()
	one, _, _, others1, _, token := twoNodes(t)
	others1.to = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was forwarded again") })
	r := httptest.NewRequest(http.MethodPost, "/api/categories", strings.NewReader(createCategory))
	r = r.WithContext(context.WithValue(r.Context(), fromNode{}, true))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	one.ServeHTTP(w, r)
	if w.Code != http.StatusCreated {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// If the node that writes has disappeared, a write is not repeated, and the response does not
// say that it was refused.
func TestAForwardedWriteWithoutAnAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	_, two, _, _, others2, token := twoNodes(t)
	others2.failed = errors.New("it does not answer")
	w := ask(two, http.MethodPost, "/api/categories", token, createCategory)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "unknown whether this write was stored") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A preliminary response of a node, such as 100, does not count as its response. The final
// one follows, and is in the log.
func TestWhatIsSaidAheadOfAForwardedAnswer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	node := &others{to: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusContinue)
		n, err := io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, n, err)
	})}
	two, _, _ := openAmong(t, t.TempDir(), sampleSite(t), slog.New(slog.NewTextHandler(&log, nil)), storetest.NewMemory(), node)
	s := httptest.NewServer(two.Handler())
	answer, err := http.Post(s.URL+"/api/upload", "text/plain", strings.NewReader(strings.Repeat("x", 2<<20)))
	check(t, err)
	text, err := io.ReadAll(answer.Body)
	check(t, errors.Join(err, answer.Body.Close()))
	s.Close()
	if answer.StatusCode != http.StatusCreated || string(text) != "2097152 <nil>" || !strings.Contains(log.String(), "status=201") {
		t.Errorf("%d %s\n%s", answer.StatusCode, text, &log)
	}
}

// While the journal has not responded, a write is not reported as failed. It gets a response
// even if a timeout or a cancelled call interrupts it.
func TestAWriteThatIsNotDecidedIsUnknown(t *testing.T) {
	t.Parallel()
	one, _, journal, _, _, token := twoNodes(t)
	journal.Fault = func(store.Batch) storetest.Fault { return storetest.LoseAfter }
	w := ask(one, http.MethodPost, "/api/categories", token, createCategory)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "unknown whether this write was stored") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Responses name the commit that they show, and show the one that the client names.
func TestAnswersNameTheirRevision(t *testing.T) {
	t.Parallel()
	_, two, _, _, others2, token := twoNodes(t)
	w := ask(two, http.MethodPost, "/api/categories", token, createCategory)
	written := w.Header().Get("Quire-Revision")
	if len(w.Header()["Quire-Revision"]) != 1 || written == "0" {
		t.Fatalf("the write is of revision %q", w.Header()["Quire-Revision"])
	}
	w = ask(two, http.MethodGet, "/api/categories", "", "", "Quire-Min-Revision", written)
	at, _ := strconv.Atoi(w.Header().Get("Quire-Revision"))
	if least, _ := strconv.Atoi(written); at < least || w.Header().Get("Quire-Stale") != "" {
		t.Errorf("a read that must show revision %s shows %d, %v", written, at, w.Header())
	}
	for _, wrong := range []string{"x", "-1", "1.5", strings.Repeat("9", 30)} {
		w := ask(two, http.MethodGet, "/api/categories", "", "", "Quire-Min-Revision", wrong)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "Quire-Min-Revision") {
			t.Errorf("%s: %d %s", wrong, w.Code, w.Body)
		}
	}
	others2.stale = true
	if w := ask(two, http.MethodGet, "/api/categories", "", ""); w.Header().Get("Quire-Stale") != "true" {
		t.Error("an answer that may be old does not say so")
	}
}

// A preview link shows drafts on behalf of its maker, whom another node may have blocked. A
// node that is cut off from the others does not serve it.
func TestAPreviewLinkSeesWhatAnotherNodeHasAcknowledged(t *testing.T) {
	t.Parallel()
	_, two, journal, _, _, token := twoNodes(t)
	w := ask(two, http.MethodPost, "/api/chefs?status=draft", token, `{"data": {"name": "Ana"}}`)
	_, rest, _ := strings.Cut(w.Body.String(), `"documentId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	w = ask(two, http.MethodPost, "/api/chefs/"+id+"/actions/preview-link", token, "")
	_, rest, _ = strings.Cut(w.Body.String(), `"token":"`)
	link, _, _ := strings.Cut(rest, `"`)
	if w := ask(two, http.MethodGet, "/api/chefs/"+id+"?previewToken="+link, "", ""); w.Code != http.StatusOK {
		t.Fatalf("the link opens %d %s", w.Code, w.Body)
	}
	journal.Silence = func() error { return io.ErrUnexpectedEOF }
	if w := ask(two, http.MethodGet, "/api/chefs/"+id+"?previewToken="+link, "", ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without the others it opens %d %s", w.Code, w.Body)
	}
	if w := ask(two, http.MethodGet, "/api/chefs/"+id, "", ""); w.Code == http.StatusServiceUnavailable {
		t.Errorf("a read without a credential waits: %d %s", w.Code, w.Body)
	}
}

// A single server sends none of these headers.
func TestAServerByItselfNamesNoRevision(t *testing.T) {
	t.Parallel()
	h, _ := openSite(t)
	w := ask(h, http.MethodGet, "/api/categories", "", "", "Quire-Min-Revision", "999")
	if w.Header().Get("Quire-Revision") != "" || w.Code == http.StatusBadRequest {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// While the content is being replaced, or if the journal refuses a write, the client is asked
// to try again.
func TestWritesThatAJournalDoesNotTake(t *testing.T) {
	t.Parallel()
	one, _, journal, _, _, token := twoNodes(t)
	release, err := journal.Freeze(t.Context())
	check(t, err)
	w := ask(one, http.MethodPost, "/api/categories", token, createCategory)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "being replaced") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	release()
	if w := ask(one, http.MethodPost, "/api/categories", token, createCategory); w.Code != http.StatusCreated {
		t.Errorf("then: %d %s", w.Code, w.Body)
	}
	refused := &store.RefusedError{Err: io.ErrUnexpectedEOF}
	if store.Uncertain(refused) || store.Suspends(refused) {
		t.Error("a write that was refused is uncertain")
	}
}
