package edge

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net/http"
	"testing"
)

// frames is an HTTP/2 connection whose client writes its frames itself.
type frames struct {
	t *testing.T
	*tls.Conn
}

// The kinds of frames in the tests, and a header that means GET / of the host x.
const (
	headersFrame, resetFrame, settingsFrame, goAwayFrame = 1, 3, 4, 7

	endOfHeaders, endOfStream = 4, 1
	mostStreamsSetting        = 3
	enhanceYourCalm           = 11

	getRoot = "\x82\x87\x84\x41\x01x"
)

// dialHTTP2 serves over TLS until the test ends, and connects as a client does.
func (s *site) dialHTTP2(t *testing.T) *frames {
	t.Helper()
	f := &frames{t, s.dialTLS(t, "h2")}
	io.WriteString(f, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	f.send(settingsFrame, 0, 0, "")
	return f
}

func (f *frames) send(kind, flags byte, stream uint32, payload string) {
	head := []byte{0, byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	f.Write(append(binary.BigEndian.AppendUint32(head, stream), payload...)) // the server may close first
}

// next reads up to the next frame of a kind.
func (f *frames) next(kind byte) []byte {
	f.t.Helper()
	for {
		head := make([]byte, 9)
		if _, err := io.ReadFull(f, head); err != nil {
			f.t.Fatalf("no frame of kind %d: %v", kind, err)
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(f, payload); err != nil {
			f.t.Fatal(err)
		}
		if head[3] == kind && (kind != settingsFrame || len(payload) > 0) {
			return payload
		}
	}
}

func TestStreamsOfAConnection(t *testing.T) {
	f := newSite(UsualPatience()).dialHTTP2(t)
	settings := f.next(settingsFrame)
	for ; len(settings) >= 6; settings = settings[6:] {
		if binary.BigEndian.Uint16(settings) == mostStreamsSetting {
			if most := binary.BigEndian.Uint32(settings[2:]); most != streams {
				t.Errorf("%d streams", most)
			}
			return
		}
	}
	t.Error("the streams are not bounded")
}

// A client that resets each request right after sending it cannot cause more work than
// others, and is disconnected.
func TestRapidReset(t *testing.T) {
	end := make(chan bool)
	s := newSite(UsualPatience())
	s.answer = func(*Request, http.ResponseWriter, *http.Request) error { <-end; return nil }
	f := s.dialHTTP2(t)
	for i := range uint32(10 * streams) {
		f.send(headersFrame, endOfHeaders|endOfStream, 2*i+1, getRoot)
		f.send(resetFrame, 0, 2*i+1, "\x00\x00\x00\x08")
	}
	if code := binary.BigEndian.Uint32(f.next(goAwayFrame)[4:]); code != enhanceYourCalm {
		t.Errorf("sent away with %d", code)
	}
	if n := s.Counts().Requests; n > streams {
		t.Errorf("%d requests are under way", n)
	}
	close(end)
}
