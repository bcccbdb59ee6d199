package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/server/edge"
	"quire/server/metrics"
	"quire/store"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err     error
		status  int
		name    string
		details string
	}{
		{&auth.UnauthorizedError{}, 401, "UnauthorizedError", `{}`},
		{&query.DraftError{}, 403, "ForbiddenError", `{}`},
		{&query.KeyError{Key: "a", Path: "b.a", Param: "sort"}, 400, "ValidationError", `{"key":"a","path":"b.a","source":"query","param":"sort"}`},
		{&query.KeyError{Key: "a", Param: "sort"}, 400, "ValidationError", `{"key":"a","path":null,"source":"query","param":"sort"}`},
		{&params.ParamError{Message: "m"}, 400, "ValidationError", `{}`},
		{&query.PaginationError{Message: "m"}, 400, "PaginationError", `{}`},
		{&body.KeyError{Key: "a"}, 400, "ValidationError", `{"key":"a","path":null,"source":"body"}`},
		{&body.KeyError{Key: "a", Path: "b"}, 400, "ValidationError", `{"key":"a","path":"b","source":"body"}`},
		{&body.ValidationError{Message: "m"}, 400, "ValidationError", `{}`},
		{&body.ValidationError{Issues: []body.Issue{{Message: "<m>", Value: json.RawMessage("5")}, {Path: []string{"a", "0"}, Message: "n"}}}, 400, "ValidationError",
			`{"errors":[{"path":[],"message":"<m>","name":"ValidationError","value":5},{"path":["a","0"],"message":"n","name":"ValidationError"}]}`},
		{&content.NotFoundError{}, 404, "NotFoundError", `{}`},
		{&content.ApplicationError{Message: "m"}, 400, "ApplicationError", `{}`},
		{content.ErrClosed, 503, "ServiceUnavailableError", `{}`},
		{&store.UncertainError{Err: errors.New("disk")}, 503, "ServiceUnavailableError", `{}`},
		{&store.SuspendedError{Cause: errors.New("disk")}, 503, "ServiceUnavailableError", `{}`},
		{&store.UndecidedError{Err: errors.New("timeout")}, 503, "ServiceUnavailableError", `{}`},
		{&store.JournalError{Err: errors.New("timeout")}, 503, "ServiceUnavailableError", `{}`},
		{store.ErrFull, 507, "InsufficientStorageError", `{}`},
		{&store.UncertainError{Err: syscall.ENOSPC}, 503, "ServiceUnavailableError", `{}`},
		{&store.StorageError{Err: &fs.PathError{Op: "write", Err: syscall.ENOSPC}}, 507, "InsufficientStorageError", `{}`},
		{&store.StorageError{Err: &fs.PathError{Op: "sync", Err: syscall.EIO}}, 503, "ServiceUnavailableError", `{}`},
		{context.DeadlineExceeded, 503, "ServiceUnavailableError", `{}`},
	} {
		p := explain(fmt.Errorf("wrapped: %w", test.err))
		if p == nil {
			t.Errorf("%T is not explained", test.err)
			continue
		}
		want := fmt.Sprintf(`"name":%q`, test.name)
		body := string(p.body())
		if p.Status != test.status || !strings.Contains(body, want) || !strings.HasSuffix(body, `"details":`+test.details+`}}`) {
			t.Errorf("%T: %d %s, want %d %s %s", test.err, p.Status, body, test.status, test.name, test.details)
		}
		if strings.Contains(body, "disk") {
			t.Errorf("%T: the answer tells what is for the operator: %s", test.err, body)
		}
	}
}

// testServer serves one route, open to everyone.
func testServer(t *testing.T, log io.Writer, h handler) *Server {
	t.Helper()
	router := httprouter.New()
	router.GET("/x", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		x := w.(*request)
		if err := h(x); err != nil {
			x.fail(err)
		}
	})
	site := &schema.Site{}
	site.Settings.Limits.URLBytes, site.Settings.Limits.Requests = 1000, 1000
	site.Settings.Limits.Connections = 100
	s := &Server{log: slog.New(slog.NewJSONHandler(log, nil)), load: edge.NewLoad(edge.UsualPatience()), turns: edge.NewTurns(2), metrics: metrics.New(""), ids: newIDs(), endHashing: func() {}}
	s.current.Store(&siteVersion{schema: site, slots: newSlots(&site.Settings.Limits, s.load), router: router, suspended: func() { io.WriteString(log, "suspended called") }})
	return s
}

// Whatever a handler does wrong, the client only gets an id. The log has the details
// under that id.
func TestDefects(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]handler{
		"panic": func(*request) error { panic("inner secret") },
		"error": func(*request) error { return errors.New("inner secret") },
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		testServer(t, &log, h).Handler().ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
		var body struct {
			Error struct {
				Name    string
				Details struct{ ID string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		id := body.Error.Details.ID
		if w.Code != 500 || body.Error.Name != "InternalServerError" || strings.Contains(w.Body.String(), "secret") || len(id) < 10 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), "inner secret") || !strings.Contains(log.String(), `"id":"`+id) || !strings.Contains(log.String(), `"status":500`) {
			t.Errorf("%s: the log lacks the error or its id: %s", name, log.String())
		}
	}
}

// The response to a write that was refused because of an earlier one does not call it
// uncertain.
func TestSuspendedIsNotUncertain(t *testing.T) {
	t.Parallel()
	uncertain := &store.UncertainError{Err: syscall.EIO}
	refused := &store.SuspendedError{Cause: uncertain}
	if message := explain(uncertain).Message; !strings.Contains(message, "unknown whether") {
		t.Errorf("the write that failed: %s", message)
	}
	if message := explain(refused).Message; strings.Contains(message, "unknown whether") {
		t.Errorf("the write after it: %s", message)
	}
}

func TestSuspendedStoreIsReported(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := testServer(t, &log, func(*request) error { return &store.SuspendedError{Cause: errors.New("disk")} })
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(log.String(), "suspended called") {
		t.Errorf("%d %v %s", w.Code, w.Header(), log.String())
	}
}

// A client that has disconnected gets no response, and is not an error.
func TestClientThatWentAway(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := testServer(t, &log, func(x *request) error { return x.http.Context().Err() })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/x", nil).WithContext(ctx))
	if w.Body.Len() > 0 || !strings.Contains(log.String(), `"status":499`) || strings.Contains(log.String(), "ERROR") {
		t.Errorf("%q, log %s", w.Body, log.String())
	}
}

// After the first byte, an error can no longer be sent. The connection is cut, so that
// nobody takes the part for the whole. The request is logged and counted all the same.
func TestErrorInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]handler{
		"error": func(x *request) error { x.Write([]byte("half")); return errors.New("too late") },
		"panic": func(x *request) error { x.Write([]byte("half")); panic("too late") },
	} {
		var log bytes.Buffer
		s := testServer(t, &log, h)
		got := breaksOff(s.Handler(), httptest.NewRequest("GET", "/x", nil))
		if got != http.ErrAbortHandler {
			t.Errorf("%s: recovered %v", name, got)
		}
		if text := log.String(); !strings.Contains(text, "too late") || !strings.Contains(text, `"msg":"request"`) || !strings.Contains(text, `"bytes":4`) {
			t.Errorf("%s: the log: %s", name, text)
		}
		sum, err := s.metrics.Summary()
		if under := s.Counts().Requests; err != nil || sum.Requests.Total != 1 || under != 0 {
			t.Errorf("%s: counted %+v and %d under way, %v", name, sum.Requests, under, err)
		}
	}
}

// breaksOff returns the value with which the handler panics.
func breaksOff(h http.Handler, r *http.Request) (fault any) {
	defer func() { fault = recover() }()
	h.ServeHTTP(httptest.NewRecorder(), r)
	return nil
}

func TestRoutesThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	_, err := newRouter(&schema.Site{}, []Route{
		{Method: "GET", Path: "/api/users/:id/role", Open: true},
		{Method: "GET", Path: "/api/users/me/role", Open: true},
	})
	if err == nil || !strings.Contains(err.Error(), "/api/users/me") {
		t.Errorf("got %v", err)
	}
}
