package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"quire/media"
	"quire/store"
)

// How a sender works.
const (
	sendInterval = 200 * time.Millisecond // between looks at the queue, at most
	sendPause    = 20 * time.Millisecond  // at least
	firstRetry   = 250 * time.Millisecond // after the target did not accept something; then twice as long, and so on
	lastRetry    = 2 * time.Second        // commits are that much older when the target is back
	imageEvery   = 24 * time.Hour         // after which there is a new image, if something was written
	finishTime   = 5 * time.Second
	sentAtOnce   = 8 << 20 // bytes of the queue in one segment, unless one file has more
)

// segmentFile is the segment that is being put, in the folder of the queue.
const segmentFile = "segment"

// Options of a Sender.
type Options struct {
	ID     string        // of the data folder
	Target media.Storage // where the stream goes
	Key    *Key          // nil for none
	Folder string        // for the queue and the state, on the disk of the data file
	Most   int64         // bytes that the queue may use
	DB     *store.DB

	// Stage makes a copy of the data file and links to the uploads in a new folder, which the
	// sender removes; see backup.Stage.
	Stage func(ctx context.Context) (folder string, err error)

	Names   func(store.Op) ([]string, error) // of the uploaded files that an operation stores a record of
	Uploads string                           // the folder of uploads
	Program string
	Schemas func() string // the fingerprint of the site folder

	Continues *Branch        // the stream that this one continues; nil for none
	Replaced  func(Takeover) // called if another server has taken the place of this one; may be nil

	Log *slog.Logger
}

// Sender sends the commits of a data file to a target.
type Sender struct {
	Options
	queue    *Queue
	state    *state
	files    map[string]bool // uploaded files in the target, by the hash of their name
	content  []byte          // space for the commits of a segment
	lookedAt time.Time       // when the target last said that nobody else writes to the stream

	sweeping sync.Mutex // held while files are put for an image, or removed
	mu       sync.Mutex // guards files and status
	status   SenderStatus
}

// SenderStatus is the state of a stream.
type SenderStatus struct {
	Target   string     `json:"target"`
	Sent     uint64     `json:"sent"`     // revision of the last commit in the target; 0 before the first
	SentTo   *time.Time `json:"sentTo"`   // the time up to which commits are in the target; null before the first
	Queued   int64      `json:"queued"`   // bytes that wait on the disk
	MayQueue int64      `json:"mayQueue"` // bytes that may wait there
	Behind   float64    `json:"behind"`   // seconds since the oldest commit that waits was made
	Image    *time.Time `json:"image"`    // the time of the last image; null for none
	Problem  string     `json:"problem"`  // why nothing is sent; empty if all is well
	Since    *time.Time `json:"since"`    // when the problem began; null without one
	Gap      string     `json:"gap"`      // why commits are no longer kept for the stream, which will begin anew; empty if they are
	Ended    bool       `json:"ended"`    // nothing is sent until the server is started again

	Check *StatusCheck `json:"check"` // the last scheduled check since the server was started; null for none
}

// StatusCheck is the result of a scheduled check.
type StatusCheck struct {
	At      time.Time `json:"at"`
	Problem string    `json:"problem"` // empty if the stream is whole
}

// OtherWriterError reports that another server has continued the stream.
type OtherWriterError struct{ Target, Name string }

func (e *OtherWriterError) Error() string {
	return fmt.Sprintf("another server writes to this stream: it has put %s into %s; nothing more is sent from here, and nothing was mixed. Give one of the two another target in backup.stream", e.Name, e.Target)
}

// Open opens the queue and records every commit from now on. The caller calls Run, and Close
// after it.
func Open(o Options) (*Sender, error) {
	if err := store.MakeFolder(o.Folder, 0o700); err != nil {
		return nil, err
	}
	s := &Sender{Options: o, status: SenderStatus{Target: o.Target.String()}}
	var err error
	if s.state, err = readState(o.Folder, o.ID+" "+o.Target.String()+o.Key.mark()); err != nil {
		return nil, err
	}
	last, at := s.state.end()
	if s.queue, err = OpenQueue(o.Folder, o.Most, last, at); err != nil {
		return nil, err
	}
	return s, o.DB.SetRecorder(s.queue)
}

// Close ends the recording. The next Open continues if nothing was written in between.
func (s *Sender) Close() error {
	return errors.Join(s.DB.SetRecorder(nil), s.queue.Close(), s.state.save())
}

// Status returns the state of the stream.
func (s *Sender) Status() SenderStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.status
	bytes, since := s.queue.Waiting()
	if now.Queued, now.MayQueue = bytes, s.Most; !since.IsZero() {
		now.Behind = time.Since(since).Seconds()
	}
	if why := s.queue.Stopped(); why != nil {
		now.Gap = why.Error()
	}
	return now
}

// Catalog lists what the target has of this stream.
func (s *Sender) Catalog(ctx context.Context) (*Catalog, error) {
	c, err := Load(ctx, s.Target, s.ID)
	if err == nil {
		c.Key = s.Key
	}
	return c, err
}

// note changes the status.
func (s *Sender) note(change func(*SenderStatus)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.status)
}

// failed notes a problem, and logs it if it is a new one.
func (s *Sender) failed(err error) {
	s.note(func(now *SenderStatus) {
		if now.Problem == "" {
			at := time.Now().UTC()
			now.Since = &at
		}
		if now.Problem != err.Error() {
			s.Log.Error("the stream is behind: commits wait on this disk", "target", now.Target, "error", err)
		}
		now.Problem = err.Error()
	})
}

// works notes that there is no problem any more.
func (s *Sender) works() {
	s.note(func(now *SenderStatus) {
		if now.Problem != "" {
			s.Log.Info("the stream works again", "target", now.Target, "after", time.Since(*now.Since))
		}
		now.Problem, now.Since = "", nil
		now.Sent, now.SentTo, now.Image = max(s.state.Last.Revision, s.state.Shows), moment(s.state.Time), moment(s.state.Image)
	})
}

func moment(milliseconds int64) *time.Time {
	if milliseconds == 0 {
		return nil
	}
	at := time.UnixMilli(milliseconds).UTC()
	return &at
}

// Run sends until ctx is done, or until another server writes to the stream. Close comes
// after it.
func (s *Sender) Run(ctx context.Context) {
	connected, failures := false, 0
	for pause := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			if connected && failures == 0 {
				s.finish(context.WithoutCancel(ctx))
			}
			return
		case <-time.After(pause):
		}
		err := error(nil)
		if !connected {
			err = s.connect(ctx)
			connected = err == nil
		}
		if err == nil {
			err = s.step(ctx)
		}
		ended := new(EndedError)
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &ended), errors.As(err, new(*OtherWriterError)):
			s.end(err)
			if s.Replaced != nil && ended.Target != "" {
				s.Replaced(ended.End)
			}
			return
		case err != nil:
			s.failed(err)
			pause = min(firstRetry<<min(failures, 10), lastRetry)
			failures++
		default:
			s.works()
			pause, failures = min(max(s.queue.Due(), sendPause), sendInterval), 0
		}
	}
}

// end records nothing more.
func (s *Sender) end(why error) {
	s.failed(why)
	s.note(func(now *SenderStatus) { now.Ended = true })
	if err := s.DB.SetRecorder(nil); err != nil {
		s.Log.Error("the stream goes on recording", "error", err)
	}
}

// finish sends the last commits of a server that stops, if the target accepts them soon.
func (s *Sender) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	s.queue.Hurry()
	if s.state.Anew {
		return // an image would take long
	}
	if err := s.step(ctx); err != nil {
		s.Log.Warn("commits wait on this disk for the stream until the server starts again", "error", err)
	}
}

// connect compares what the target has with what this sender has put there.
func (s *Sender) connect(ctx context.Context) error {
	c, err := Load(ctx, s.Target, s.ID)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.files = c.Files
	s.mu.Unlock()
	if err := s.reconcile(ctx); err != nil {
		return err
	}
	last := c.last()
	if last.to > 0 {
		end, err := s.endOf(ctx, last.name(s.ID))
		switch {
		case err != nil:
			return err
		case end != nil:
			return &EndedError{s.Target.String(), *end}
		}
	}
	switch {
	case s.state.new:
		s.state.new, s.state.Number = false, last.to
	case last.to > s.state.Number:
		return &OtherWriterError{s.Target.String(), last.name(s.ID)}
	case last.to < s.state.Number:
		s.state.Anew = true // the target has lost something, or is another one
	case last.letter == eachLetter:
		id, err := idOf(ctx, s.Target, last.name(s.ID))
		if err != nil {
			return err
		}
		if id != s.state.ID {
			return &OtherWriterError{s.Target.String(), last.name(s.ID)}
		}
	}
	return s.state.save()
}

// reconcile finds out whether the segment that an earlier process was putting has arrived. If
// not, and it is still whole here, it is put again as it is: it may arrive yet.
func (s *Sender) reconcile(ctx context.Context) error {
	if s.state.Outgoing == nil {
		return nil
	}
	id, err := idOf(ctx, s.Target, entry{letter: eachLetter, from: s.state.Number + 1}.name(s.ID))
	if err != nil {
		return err
	}
	if id == s.state.Outgoing.ID {
		s.state.arrived()
		return nil
	}
	o, err := openObject(ctx, media.Disk(s.Folder), segmentFile)
	if err == nil {
		err = errors.Join(o.read(s.Key, func(io.Reader) error { return nil }), o.close())
	}
	if err != nil || o.id != s.state.Outgoing.ID {
		s.state.Outgoing = nil // it is made again
	}
	return nil
}

// step sends what can be sent now.
func (s *Sender) step(ctx context.Context) error {
	last, err := s.DB.LastCommit()
	if err != nil {
		return err
	}
	stopped := s.queue.Seal(last)
	if s.state.Outgoing != nil {
		if err := s.putOutgoing(ctx); err != nil {
			return err
		}
	}
	if s.state.Anew {
		s.Log.Info("the stream begins with an image", "target", s.Target.String())
		return s.beginAnew(ctx)
	}
	for files := s.queue.Closed(); len(files) > 0; files = s.queue.Closed() {
		n := 1
		for bytes := files[0].bytes; n < len(files) && bytes+files[n].bytes <= sentAtOnce; n++ {
			bytes += files[n].bytes
		}
		if err := s.send(ctx, files[:n]); err != nil {
			return err
		}
		if err := s.queue.Remove(n); err != nil {
			return err
		}
		s.works()
	}
	switch {
	case stopped != nil:
		s.Log.Warn("the stream begins anew with an image", "target", s.Target.String(), "why", stopped)
		return s.beginAnew(ctx)
	case time.Since(time.UnixMilli(s.state.Image)) >= imageEvery && s.state.Time > s.state.Image:
		return s.putImage(ctx, imageLetter)
	}
	return s.ask(ctx)
}

// beginAnew records from now on, and puts an image. Nothing connects it to what was sent
// before.
func (s *Sender) beginAnew(ctx context.Context) error {
	s.state.Anew = true
	if err := s.state.save(); err != nil {
		return err
	}
	if err := s.queue.Anew(); err != nil {
		return err
	}
	if err := s.DB.SetRecorder(s.queue); err != nil {
		return err
	}
	return s.putImage(ctx, anewLetter)
}

// send puts the commits of some files of the queue into one segment.
func (s *Sender) send(ctx context.Context, files []queued) error {
	content := s.content[:0]
	for _, f := range files {
		var err error
		if content, err = f.appendTo(content); err != nil {
			return err
		}
	}
	if s.content = content; cap(content) > sentAtOnce {
		s.content = nil
	}
	head, content, names, err := s.survey(content)
	if err != nil {
		s.state.Anew = true
		return fmt.Errorf("the queue cannot be read: %w", err)
	}
	if head.Commits == 0 {
		return nil // all were sent before a crash
	}
	for _, name := range names {
		if err := s.putFile(ctx, s.Uploads, name); err != nil {
			return err
		}
	}
	return s.putSegment(ctx, head, content)
}

// survey returns the head of a segment of the records that have not been sent, these
// records, and the uploaded files that they name.
func (s *Sender) survey(content []byte) (h *Header, unsent []byte, names []string, err error) {
	h = &Header{Kind: segmentKind, Program: s.Program, Number: s.state.Number + 1, Through: s.state.Number + 1, Follows: s.state.ID}
	unsent = content
	last := s.state.Last
	for rest := content; len(rest) > 0; {
		body, next, whole := nextRecord(rest)
		if !whole {
			return nil, nil, nil, errRecord
		}
		c, err := parseRecord(body)
		if err != nil {
			return nil, nil, nil, err
		}
		rest = next
		switch {
		case h.Commits == 0 && c.CommitID == s.state.Last, h.Commits == 0 && last != (store.CommitID{}) && c.Before != last && c.Revision < last.Revision:
			unsent = rest
			continue
		case last != (store.CommitID{}) && c.Before != last:
			return nil, nil, nil, ErrUnrecorded
		case h.Commits == 0:
			h.Before, h.From = c.Before, c.Time
		}
		last = c.CommitID
		h.Last, h.To = c.CommitID, c.Time
		h.Commits++
		for _, o := range c.Ops {
			named, err := s.Names(o)
			if err != nil {
				return nil, nil, nil, err
			}
			names = append(names, named...)
		}
	}
	h.Size = int64(len(unsent))
	return h, unsent, names, nil
}

// putSegment puts the next segment.
func (s *Sender) putSegment(ctx context.Context, head *Header, content []byte) error {
	err := writeObject(filepath.Join(s.Folder, segmentFile), head, s.Key, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	s.state.Outgoing = &outgoing{ID: head.id, Last: head.Last, Time: head.To}
	if err := s.state.save(); err != nil {
		return err
	}
	return s.putOutgoing(ctx)
}

// putOutgoing puts the segment that was made last.
func (s *Sender) putOutgoing(ctx context.Context) error {
	name := entry{letter: eachLetter, from: s.state.Number + 1}.name(s.ID)
	if err := s.put(ctx, filepath.Join(s.Folder, segmentFile), name, s.state.Outgoing.ID); err != nil {
		return err
	}
	s.state.arrived()
	return nil
}

// put puts an object under a name that nobody has used. If the answer is lost, the object
// may be there.
func (s *Sender) put(ctx context.Context, path, name, id string) error {
	err := s.Target.Put(ctx, media.LocalFile{Path: path, Name: name, Mime: "application/octet-stream"})
	if err == nil || ctx.Err() != nil {
		return err
	}
	there, failed := idOf(ctx, s.Target, name)
	switch {
	case failed != nil:
		return errors.Join(err, failed)
	case there == id:
		return nil
	case there != "":
		return s.otherWriter(ctx, name)
	}
	return err
}

// putFile puts an uploaded file, if the target does not have it: a name never gets other
// content. A file that is gone has been deleted since.
func (s *Sender) putFile(ctx context.Context, folder, name string) error {
	hash := s.Key.nameOf(name)
	if s.has(hash) {
		return nil
	}
	file, err := os.Open(filepath.Join(folder, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	path, head := filepath.Join(s.Folder, "outgoing"), &Header{Kind: fileKind, Size: info.Size(), File: hash}
	err = writeObject(path, head, s.Key, func(to io.Writer) error {
		_, err := io.Copy(to, file)
		return err
	})
	if err != nil {
		return err
	}
	object := entry{letter: fileLetter, file: hash}.name(s.ID)
	err = s.put(ctx, path, object, head.id)
	if errors.As(err, new(*OtherWriterError)) {
		err = nil // it is there already, encrypted with other random bytes
	}
	if err == nil {
		s.mu.Lock()
		s.files[hash] = true
		s.mu.Unlock()
	}
	return err
}
