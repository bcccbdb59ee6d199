package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"syscall"
	"time"

	"quire/schema/settings"
)

// Limits of one attempt.
const (
	attemptTime   = 10 * time.Second
	mostAnswer    = 64 << 10 // maximum bytes read of a response
	mostHeaders   = 16 << 10 // bytes of its headers
	idleConns     = 2        // idle connections to a host
	idleLasts     = 30 * time.Second
	userAgent     = "Quire-Webhook"
	eventHeader   = "X-Strapi-Event"
	idHeader      = "webhook-id"
	timeHeader    = "webhook-timestamp"
	signedHeader  = "webhook-signature"
	contentHeader = "Content-Type"
)

// message is one delivery, ready to be sent.
type message struct {
	id, event string
	url       string
	headers   map[string]string
	secrets   []string // each signs
	body      []byte
}

// StatusError is the status of a response that refuses a delivery.
type StatusError struct{ Status int }

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the receiver answered %d", e.Status)
	if e.Status >= 300 && e.Status < 400 {
		text += ", a redirect, which is not followed"
	}
	return text
}

// sender sends messages to the receivers that a version of the site allows.
type sender struct {
	client *http.Client
	now    func() time.Time
}

// newSender returns a sender. A nil resolver is the system's.
func newSender(allowed settings.Events, resolver *net.Resolver, now func() time.Time) *sender {
	transport := NewTransport(allowed, resolver, attemptTime)
	transport.MaxResponseHeaderBytes, transport.MaxIdleConnsPerHost = mostHeaders, idleConns
	return &sender{now: now, client: &http.Client{
		Timeout:       attemptTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     transport,
	}}
}

// NewTransport returns a transport that sends requests only to the addresses that a version
// of the site allows. Each address of a name is checked when it is dialed, so that a name
// that resolves differently the second time does not get past it. A nil resolver is the
// system's. within limits the time for connecting.
func NewTransport(allowed settings.Events, resolver *net.Resolver, within time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: within, Resolver: resolver, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%q is not an address that can be checked", address)
		}
		return allowed.CheckAddress(at.Addr())
	}}
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
		MaxResponseHeaderBytes: mostHeaders, IdleConnTimeout: idleLasts, TLSHandshakeTimeout: within,
		// A dead connection is detected, and no response takes more memory than is read of
		// it.
		HTTP2: &http.HTTP2Config{SendPingTimeout: within / 2, PingTimeout: within / 2, MaxReceiveBufferPerStream: mostAnswer},
	}
}

// close closes idle connections.
func (s *sender) close() { s.client.CloseIdleConnections() }

// send makes one attempt. A response with a status from 200 to 299 means that the receiver
// has accepted the message; status is 0 if there was no response.
func (s *sender) send(ctx context.Context, m *message) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("User-Agent", userAgent)
	for name, value := range m.headers {
		request.Header.Set(name, value)
	}
	at := s.now()
	request.Header.Set(contentHeader, "application/json")
	request.Header.Set(eventHeader, m.event)
	Sign(request.Header, m.secrets, m.id, at, m.body)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, WithoutURL(err)
	}
	defer response.Body.Close()
	// The rest of a short response is read so that the connection can be used again.
	io.Copy(io.Discard, io.LimitReader(response.Body, mostAnswer))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response.StatusCode, &StatusError{response.StatusCode}
	}
	return response.StatusCode, nil
}

// quotesAnswer matches errors of net/http that quote the response.
var quotesAnswer = regexp.MustCompile("malformed HTTP |Content-Length|transfer encoding")

// WithoutURL leaves the URL out of an error, because it may contain secrets. It also leaves
// out refused addresses, addresses of name servers, and texts of responses: people who may
// read errors must not be able to read the responses of other services.
func WithoutURL(err error) error {
	var failed *url.Error
	var refused *settings.AddressError
	var unknown *net.DNSError
	switch {
	case errors.As(err, new(textproto.ProtocolError)), quotesAnswer.MatchString(err.Error()):
		return errors.New("the receiver did not answer in HTTP")
	case errors.As(err, &unknown) && !unknown.IsTimeout:
		return fmt.Errorf("the name of the receiver cannot be resolved: %s", unknown.Err)
	case errors.As(err, &refused):
		return refused
	case !errors.As(err, &failed):
		return err
	case failed.Timeout():
		return errors.New("the receiver did not answer in time")
	}
	return failed.Err
}
