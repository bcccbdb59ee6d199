package edge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Stream is an answer that goes on until the client or the server ends it. It takes no
// place among the requests, and waits for nothing while there is nothing to send. Over
// HTTP/1.1 it has its connection to itself, and all that serves a request is gone but
// for one small goroutine that waits for the client to leave: thousands of them cost
// little. Over HTTP/2 the handler stays.
type Stream struct {
	load     *Load
	to       io.Writer
	flush    func() error // nil for a connection of its own
	deadline func(time.Time) error
	conn     net.Conn // nil for a stream among others of a connection
	leave    func()   // gives its place back

	sending sync.Mutex // held while something is written
	closed  atomic.Bool
	ended   chan struct{} // closed with it
}

// sendBuffer is how much the operating system holds for a client that does not read, in
// bytes.
const sendBuffer = 64 << 10

// Stream has the answer go on as a stream that takes the place which leave gives back.
// Header and status have been set by w, which writes them and nothing more. After an
// error there is no stream, and the place has been given back.
func (q *Request) Stream(w http.ResponseWriter, leave func()) (*Stream, error) {
	q.part()
	q.ReturnSlots()
	q.returnMemory()
	alone := q.r.ProtoMajor == 1
	if alone {
		w.Header()["Transfer-Encoding"] = []string{"identity"} // it ends with the connection
	}
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(q.w)
	s := &Stream{load: q.load, to: q.w, flush: control.Flush, deadline: control.SetWriteDeadline, leave: sync.OnceFunc(leave), ended: make(chan struct{})}
	if err := s.begin(control, alone); err != nil {
		s.leave()
		return nil, err
	}
	return s, nil
}

// begin sends the header, and takes the connection over where that is possible.
func (s *Stream) begin(control *http.ResponseController, alone bool) error {
	err := control.Flush()
	if err != nil || !alone {
		return err
	}
	var rest *bufio.ReadWriter
	s.conn, rest, err = control.Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		s.conn = nil
		return nil
	}
	if err != nil {
		return err
	}
	if rest.Reader.Buffered() > 0 {
		s.conn.Close()
		return errors.New("the client sends more while it is to take a stream")
	}
	s.to, s.flush, s.deadline = s.conn, nil, s.conn.SetWriteDeadline
	var own net.Conn = s.conn
	if c := below(own); c != nil {
		c.streaming.Store(true)
		own = c.Conn
	}
	if tcp, ok := own.(*net.TCPConn); ok {
		return tcp.SetWriteBuffer(sendBuffer)
	}
	return nil
}

// sendPiece is how much a client has to take at a time, in bytes. One with a slow
// connection takes a long part all the same.
const sendPiece = 256 << 10

// Send sends a part, and waits for the client to take each piece of it, but not for long.
// After an error the stream is of no use.
func (s *Stream) Send(part []byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	for piece := range slices.Chunk(part, sendPiece) {
		if err := s.sendPiece(piece); err != nil {
			return err
		}
	}
	return nil
}

// sendPiece sends a piece. sending must be held.
func (s *Stream) sendPiece(piece []byte) error {
	if s.closed.Load() {
		return net.ErrClosed // and who answered the request may be gone
	}
	begun, patience := time.Now(), s.load.patience.Stream
	_ = s.deadline(begun.Add(patience))
	if s.closed.Load() {
		return net.ErrClosed // or the deadline of Close would be lost
	}
	_, err := s.to.Write(piece)
	if s.flush != nil {
		if err == nil {
			err = s.flush()
		}
		if err == nil {
			_ = s.deadline(time.Time{}) // with HTTP/2 it would end the stream between two parts
		}
	}
	if err != nil && time.Since(begun) >= patience {
		s.load.streams.dropped.Add(1)
	}
	return err
}

// Close ends the stream after what has been sent. Whoever is sending meanwhile fails.
func (s *Stream) Close() {
	if s.closed.Swap(true) {
		return
	}
	if s.conn != nil {
		s.conn.Close()
	} else {
		_ = s.deadline(time.Unix(1, 0))
	}
	s.leave()
	close(s.ended)
}

// Settled waits until nobody is sending any more, once the stream is closed.
func (s *Stream) Settled() {
	s.sending.Lock()
	//lint:ignore SA2001 whoever was sending has ended
	s.sending.Unlock()
}

// Serve calls left, which closes the stream, when the client leaves. It returns when the
// stream has been closed: over a connection of its own at once, and left is called later.
func (s *Stream) Serve(ctx context.Context, left func()) {
	if s.conn != nil {
		go s.listen(left)
		return
	}
	select {
	case <-ctx.Done():
		left()
	case <-s.ended:
	}
	<-s.ended
	s.Settled()
}

// mostSaid is what a client may send to a stream, in bytes; there is nothing to say.
const mostSaid = 4 << 10

// listen waits for the client to leave.
func (s *Stream) listen(left func()) {
	defer left()
	said, some := 0, make([]byte, 64)
	for said <= mostSaid {
		n, err := s.conn.Read(some)
		if said += n; err != nil {
			return
		}
	}
}
