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

// Stream is a response that continues until the client or the server ends it. It takes no
// place of a request, and costs nothing while there is nothing to send. Over HTTP/1.1 it
// has its own connection, and everything that serves a request is released, except for
// one small goroutine that waits for the client to leave. So thousands of streams cost
// little. Over HTTP/2 the handler keeps running.
type Stream struct {
	load     *Load
	to       io.Writer
	flush    func() error // nil for a connection of its own
	deadline func(time.Time) error
	conn     net.Conn // nil for one of several streams on a connection
	leave    func()   // releases its place

	sending sync.Mutex // held while something is written
	closed  atomic.Bool
	ended   chan struct{} // closed with it
}

// sendBuffer is the size of the operating system's buffer for a client that does not
// read, in bytes.
const sendBuffer = 64 << 10

// Stream turns the response into a stream, whose place leave releases. w has the status
// and the header, and writes nothing else. After an error there is no stream, and the
// place has been released.
func (q *Request) Stream(w http.ResponseWriter, leave func()) (*Stream, error) {
	q.part()
	q.ReturnSlots()
	q.returnMemory()
	alone := q.r.ProtoMajor == 1
	if alone {
		w.Header()["Transfer-Encoding"] = []string{"identity"} // the body ends with the connection
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

// begin sends the header, and takes over the connection if possible.
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

// sendPiece is the size in bytes of what a client must receive at a time, so a long part
// can reach a client with a slow connection.
const sendPiece = 256 << 10

// Send sends a part, and waits a limited time until the client has received each piece.
// After an error, the stream is unusable.
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
		return net.ErrClosed // the handler may have returned
	}
	begun, patience := time.Now(), s.load.patience.Stream
	_ = s.deadline(begun.Add(patience))
	if s.closed.Load() {
		return net.ErrClosed // otherwise it would overwrite the deadline of Close
	}
	_, err := s.to.Write(piece)
	if s.flush != nil {
		if err == nil {
			err = s.flush()
		}
		if err == nil {
			_ = s.deadline(time.Time{}) // with HTTP/2, the deadline would end the stream between two parts
		}
	}
	if err != nil && time.Since(begun) >= patience {
		s.load.streams.dropped.Add(1)
	}
	return err
}

// Close ends the stream after what has been sent. A Send in progress fails.
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

// Settled waits until nothing is being sent any more. The stream must be closed.
func (s *Stream) Settled() {
	s.sending.Lock()
	//lint:ignore SA2001 whoever was sending has ended
	s.sending.Unlock()
}

// Serve calls left, which closes the stream, when the client leaves. It returns when the
// stream is closed. For a stream with its own connection it returns at once, and left is
// called later.
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

// mostSaid is the maximum number of bytes that a client may send to a stream. It has
// nothing to send.
const mostSaid = 4 << 10

// listen waits until the client leaves.
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
