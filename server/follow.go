package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/media"
	"quire/store"
	"quire/store/follow"
)

// Leading is what a server needs to have followers.
type Leading struct {
	Epoch  func() uint64                               // of the content
	Schema func() string                               // fingerprint of the served schemas and settings
	Stream func() string                               // id of the stream of commits; empty for none
	Folder string                                      // where images are made
	Fence  func(context.Context, follow.Fencing) error // makes this server refuse all writes

	Site    func() (map[string]string, error) // the files of the site folder that is served, by their names
	Receive Receiver                          // makes the changes of another site

	// Streams returns where the stream of that name is stored, which another server sends.
	Streams func(name string) (StreamFolder, error)
}

// Limits on what followers take together.
const (
	mostFollowers  = 8
	mostImages     = 2 // that are made and sent at the same time
	mostFences     = 4 << 10
	imageRetry     = "10" // seconds
	followerStream = time.Hour
)

// followers are the streams and images of followers, and what they have in common.
type followers struct {
	mu      sync.Mutex
	streams int
	images  int
	pushes  int             // that are received
	objects int             // of streams that are received
	noted   map[string]bool // who was noted in the audit log since the start
	running sync.WaitGroup
}

// enter takes one of a number of places. leave releases it.
func (f *followers) enter(taken *int, most int) (leave func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *taken >= most {
		return nil, false
	}
	*taken++
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		*taken--
	}), true
}

func followRoutes() []Route {
	read := func(path string, h handler, takes ...string) Route {
		return Route{Method: http.MethodGet, Path: path, Permission: auth.ReadFollow, takes: takes, handler: leading(h)}
	}
	return []Route{
		read(follow.StatePath, sendState),
		read(follow.BatchesPath, streamBatches, "lineage", "revision"),
		read(follow.ImagePath, sendImage),
		read(follow.FilesPath+":name", sendStoredFile),
		read(follow.SitePath, sendSite),
		{Method: http.MethodPost, Path: follow.FencePath, Permission: auth.FenceFollow, reads: true, handler: leading(fence)},
	}
}

// leading refuses followers of a server that follows another one itself.
func leading(h handler) handler {
	return func(x *request) error {
		x.dropTag()
		if x.server.leading == nil || x.within {
			return &problem{http.StatusConflict, "ConflictError", "This server follows another one, or is a node of a cluster; use the leader", none{}}
		}
		return h(x)
	}
}

// tail returns the last batches of the data file.
func (x *request) tail() (*store.Tail, error) { return x.site.db.Tail(follow.TailBytes) }

// leadingState is the state of this server for followers.
func (s *Server) leadingState(last store.CommitID) follow.State {
	return follow.State{
		Lineage: last.Lineage, Revision: last.Revision, Uptime: int64(time.Since(s.started)),
		Epoch: s.leading.Epoch(), Schema: s.leading.Schema(), Stream: s.leading.Stream(),
	}
}

func sendState(x *request) error {
	tail, err := x.tail()
	if err != nil {
		return err
	}
	return x.sendLeadingState(tail)
}

func (x *request) sendLeadingState(tail *store.Tail) error {
	text, err := json.Marshal(x.server.leadingState(tail.Last()))
	if err == nil {
		x.json(http.StatusOK, text)
	}
	return err
}

// streamBatches answers GET /api/_follow/batches.
func streamBatches(x *request) error {
	query := x.http.URL.Query()
	lineage, err := strconv.ParseUint(query.Get("lineage"), 10, 64)
	if err != nil {
		return invalid(`"lineage" must be a number`)
	}
	revision, err := strconv.ParseUint(query.Get("revision"), 10, 64)
	if err != nil {
		return invalid(`"revision" must be a number`)
	}
	tail, err := x.tail()
	if err != nil {
		return err
	}
	after := store.CommitID{Lineage: lineage, Revision: revision}
	if _, _, err := tail.After(after); errors.Is(err, store.ErrCompacted) {
		return &problem{http.StatusGone, "GoneError", "This server no longer has the commits after that one; load an image", none{}}
	}
	if err := x.noteFollower("data.follow"); err != nil {
		return err
	}
	leave, ok := x.server.followers.enter(&x.server.followers.streams, mostFollowers)
	if !ok {
		return tooManyFollowers(x)
	}
	x.Header()["Content-Type"] = []string{"application/octet-stream"}
	out, err := x.beginStream(leave)
	if out == nil {
		return err
	}
	may, until, left := x.mayFollow(), time.Now().Add(followerStream), make(chan struct{})
	s := &follow.BatchSender{
		Tail: tail, After: after, State: x.server.leadingState, Send: out.Send, Left: left,
		May: func() bool { return time.Now().Before(until) && may() },
	}
	x.server.followers.running.Go(func() {
		defer out.Close()
		s.Run()
	})
	out.Serve(x.http.Context(), sync.OnceFunc(func() {
		close(left)
		out.Close()
	}))
	return nil
}

func tooManyFollowers(x *request) error {
	x.Header().Set("Retry-After", imageRetry)
	return &problem{http.StatusTooManyRequests, "RateLimitError", "This server has as many followers as it may have; try again later", none{}}
}

// mayFollow returns a function that reports whether the caller still may follow.
func (x *request) mayFollow() func() bool {
	bearer, _ := x.credential()
	s, bearer := x.server, strings.Clone(bearer)
	return func() bool {
		identity, err := s.current.Load().identify(bearer)
		return err == nil && identity.Caller.HasPermission(auth.ReadFollow)
	}
}

// noteFollower notes a follower in the audit log: each image, and once since the start who
// follows.
func (x *request) noteFollower(action string) error {
	f := &x.server.followers
	f.mu.Lock()
	who := action + " " + x.identity.String()
	before := f.noted[who]
	if f.noted == nil || len(f.noted) > 100 {
		f.noted = map[string]bool{}
	}
	f.noted[who] = true
	f.mu.Unlock()
	if before && action != "data.image" {
		return nil
	}
	return audit.NewLog(x.site.db).Note(audit.Of(x.asCaller()), audit.Event{Action: action, Target: audit.Target{Type: "follower"}})
}

// sendImage answers GET /api/_follow/image with the data file. It is copied first, so that
// a slow follower does not make the file grow.
func sendImage(x *request) error {
	tail, err := x.tail() // from now on it has what follows the image
	if err != nil {
		return err
	}
	if x.http.Method == http.MethodHead {
		return x.sendLeadingState(tail)
	}
	leave, ok := x.server.followers.enter(&x.server.followers.images, mostImages)
	if !ok {
		return tooManyFollowers(x)
	}
	defer leave()
	if err := x.noteFollower("data.image"); err != nil {
		return err
	}
	f, err := os.CreateTemp(x.server.leading.Folder, followImage+"*")
	if err != nil {
		return &store.StorageError{Err: err}
	}
	defer func() {
		f.Close()
		os.Remove(f.Name()) // the next start removes it otherwise
	}()
	var last store.CommitID
	var size int64
	err = x.site.db.View(func(tx *store.Tx) (err error) {
		last = tx.CommitID()
		size, err = tx.WriteTo(f)
		return err
	})
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	h := x.Header()
	h.Set("Content-Type", "application/zstd")
	h.Set(follow.ImageLineage, strconv.FormatUint(last.Lineage, 10))
	h.Set(follow.ImageRevision, strconv.FormatUint(last.Revision, 10))
	h.Set(follow.ImageSize, strconv.FormatInt(size, 10))
	x.WriteHeader(http.StatusOK)
	if err := follow.WriteImage(x.share.Patient(x), f); err != nil {
		panic(http.ErrAbortHandler) // the follower has left, or finds that something is missing
	}
	return nil
}

// followImage begins the names of images in the data folder.
const followImage = ".follow-image-"

// SweepImages removes the images that a killed server has left in a folder.
func SweepImages(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), followImage) {
			err = errors.Join(err, os.Remove(folder+string(os.PathSeparator)+e.Name()))
		}
	}
	return err
}

// sendStoredFile answers GET /api/_follow/files/:name with a file of the storage.
func sendStoredFile(x *request) error {
	return x.sendFile(x.server.files, x.params.ByName("name"))
}

// opener opens files by their names, as a media.Storage does.
type opener interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error)
}

// sendFile answers with a file, or with the part of it that the client wants.
func (x *request) sendFile(from opener, name string) error {
	file, object, err := from.Open(x.http.Context(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound()
	}
	if err != nil {
		return err
	}
	defer file.Close()
	x.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(x.share.Patient(x), x.http, "", object.Modified, file)
	return nil
}

// fence answers POST /api/_follow/fence: another server becomes the leader.
func fence(x *request) error {
	text, err := readBody(x, mostFences)
	if err != nil {
		return err
	}
	var f follow.Fencing
	if err := json.Unmarshal(text, &f); err != nil || f.Epoch == 0 || len(f.Leader) > 1000 {
		return invalid(`the body must be {"epoch": "N", "leader": "URL", "lineage": "N", "revision": "N"}`)
	}
	tail, err := x.tail()
	if err != nil {
		return err
	}
	if f.Epoch <= x.server.leading.Epoch() {
		return &problem{http.StatusConflict, "ConflictError", "This server is the leader of that epoch, or of a later one", none{}}
	}
	if err := x.server.leading.Fence(x.asCaller(), f); err != nil {
		return err
	}
	return x.sendLeadingState(tail)
}

// EndFollowers sends what followers do not have yet, and ends their streams.
func (s *Server) EndFollowers(within time.Duration) {
	e := s.current.Load()
	s.followers.mu.Lock()
	some := s.followers.streams > 0
	s.followers.mu.Unlock()
	if !some {
		return
	}
	if tail, err := e.db.Tail(follow.TailBytes); err == nil {
		tail.Close()
	}
	ended := make(chan struct{})
	go func() {
		s.followers.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(within):
	}
}
