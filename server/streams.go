package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"sync"
	"time"

	"quire/auth"
	"quire/media"
	"quire/server/edge"
	"quire/store"
)

// streamsPath is the path of the streams of other servers that this one stores.
const streamsPath = "/api/_streams/"

// StreamFolder stores the stream of another server; see stream.Receiver.
type StreamFolder interface {
	media.Storage
	Receive(ctx context.Context, name string, from io.Reader) error
	Sweep() error
}

// Limits on the streams of other servers, beside streams.bytes in site.json.
const (
	mostStreamObjects = 1_000_000 // of one stream
	mostStreamBody    = 64 << 30  // bytes of one object
	mostStreamPuts    = 16        // objects that arrive at the same time
)

// storedStreams counts what is stored of each stream.
type storedStreams struct {
	mu sync.Mutex
	of map[string]*streamSize
}

type streamSize struct {
	objects int
	bytes   int64
}

// size returns what is stored of a stream. It is counted once. s.mu must be held.
func (s *storedStreams) size(ctx context.Context, name string, at StreamFolder) (*streamSize, error) {
	if n := s.of[name]; n != nil {
		return n, nil
	}
	if err := at.Sweep(); err != nil {
		return nil, err
	}
	n := &streamSize{}
	err := at.List(ctx, func(o media.Object) error {
		n.add(1, o.Size)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.of == nil {
		s.of = map[string]*streamSize{}
	}
	s.of[name] = n
	return n, nil
}

func (n *streamSize) add(objects int, bytes int64) {
	n.objects, n.bytes = n.objects+objects, n.bytes+bytes
}

// reserve counts an object that is to come. free takes it out again: call it if the object is not
// stored.
func (s *storedStreams) reserve(ctx context.Context, name string, at StreamFolder, bytes, most int64) (free func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.size(ctx, name, at)
	switch {
	case err != nil:
		return nil, err
	case n.objects >= mostStreamObjects || bytes > most-n.bytes:
		return nil, &problem{http.StatusInsufficientStorage, "InsufficientStorageError", fmt.Sprintf("The stream %s may have %d bytes here, and %d objects", name, most, mostStreamObjects), none{}}
	}
	n.add(1, bytes)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		n.add(-1, -bytes)
	}, nil
}

// remove removes an object.
func (s *storedStreams) remove(ctx context.Context, name string, at StreamFolder, object string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.size(ctx, name, at)
	if err != nil {
		return err
	}
	o, err := at.Stat(ctx, object)
	if err != nil {
		return err
	}
	if err := at.Delete(ctx, object); err != nil {
		return err
	}
	n.add(-1, -o.Size)
	return nil
}

func streamRoutes() []Route {
	route := func(method, path string, h func(x *request, name string, at StreamFolder) error) Route {
		return Route{Method: method, Path: streamsPath + path, Permission: auth.WriteStreams, reads: true, handler: leading(storing(h))}
	}
	return []Route{
		route(http.MethodGet, ":name", listObjects),
		route(http.MethodGet, ":name/:object", sendObject),
		route(http.MethodPut, ":name/:object", receiveObject),
		route(http.MethodDelete, ":name/:object", removeObject),
	}
}

// storing passes the folder of a stream that site.json names.
func storing(h func(x *request, name string, at StreamFolder) error) handler {
	return func(x *request) error {
		name := x.params.ByName("name")
		if !slices.Contains(x.site.schema.Settings.Streams.Names, name) {
			return &problem{http.StatusForbidden, "ForbiddenError", `site.json does not have this stream in "streams.names"`, none{}}
		}
		at, err := x.server.leading.Streams(name)
		if err == nil {
			err = h(x, name, at)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return notFound()
		}
		return err
	}
}

// listObjects answers GET /api/_streams/:name.
func listObjects(x *request, _ string, at StreamFolder) error {
	x.Header()["Content-Type"] = jsonType
	x.WriteHeader(http.StatusOK)
	to, between := bufio.NewWriter(x.share.Patient(x)), "["
	err := at.List(x.http.Context(), func(o media.Object) error {
		text, err := json.Marshal(struct {
			Name     string    `json:"name"`
			Size     int64     `json:"size"`
			Modified time.Time `json:"modified"`
		}{o.Name, o.Size, o.Modified.UTC()})
		_, _ = to.WriteString(between)
		_, _ = to.Write(text) // Flush has the error
		between = ",\n"
		return err
	})
	if between == "[" {
		_, _ = to.WriteString(between)
	}
	_, _ = to.WriteString("]")
	if err := errors.Join(err, to.Flush()); err != nil {
		panic(http.ErrAbortHandler) // the list is cut off, which the client sees
	}
	return nil
}

// sendObject answers GET /api/_streams/:name/:object.
func sendObject(x *request, _ string, at StreamFolder) error {
	return x.sendFile(at, x.params.ByName("object"))
}

// receiveObject answers PUT /api/_streams/:name/:object.
func receiveObject(x *request, name string, at StreamFolder) error {
	size := x.http.ContentLength
	switch {
	case x.http.Header.Get("If-None-Match") != "*":
		return &problem{http.StatusPreconditionRequired, "PreconditionRequiredError", "No object is replaced: send If-None-Match: *", none{}}
	case size < 0:
		return &problem{http.StatusLengthRequired, "LengthRequiredError", "Content-Length is missing", none{}}
	case size > mostStreamBody:
		return tooLarge(mostStreamBody)
	}
	if _, err := at.Stat(x.http.Context(), x.params.ByName("object")); err == nil { // before it is sent
		return objectExists()
	}
	leave, ok := x.server.followers.enter(&x.server.followers.objects, mostStreamPuts)
	if !ok {
		x.Header().Set("Retry-After", "1")
		return &problem{http.StatusTooManyRequests, "RateLimitError", "Too many objects of streams are arriving; try again later", none{}}
	}
	defer leave()
	free, err := x.server.stored.reserve(x.http.Context(), name, at, size, x.site.schema.Settings.Streams.Bytes)
	if err != nil {
		return err
	}
	stored := false
	defer func() {
		if !stored {
			free()
		}
	}()
	err = x.share.Receive(true, func(b *edge.Body) error {
		b.Stream()
		err := at.Receive(x.http.Context(), x.params.ByName("object"), b)
		stored = err == nil
		return err
	})
	switch {
	case err == nil:
		x.WriteHeader(http.StatusCreated)
	case errors.Is(err, fs.ErrExist):
		return objectExists()
	case errors.Is(err, fs.ErrInvalid):
		return invalid("The name of an object has letters, digits, dots, hyphens and underscores, and does not begin with a dot")
	case !errors.As(err, new(*store.StorageError)) && explainEdge(err) == nil:
		return invalid("The request body could not be read to its end")
	}
	return err
}

func objectExists() error {
	return &problem{http.StatusPreconditionFailed, "PreconditionFailedError", "There is an object of that name", none{}}
}

// removeObject answers DELETE /api/_streams/:name/:object.
func removeObject(x *request, name string, at StreamFolder) error {
	err := x.server.stored.remove(x.http.Context(), name, at, x.params.ByName("object"))
	if err == nil {
		x.WriteHeader(http.StatusNoContent)
	}
	return err
}
