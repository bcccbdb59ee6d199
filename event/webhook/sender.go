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

// What one attempt may take.
const (
	attemptTime   = 10 * time.Second
	mostAnswer    = 64 << 10 // bytes of an answer that are read
	mostHeaders   = 16 << 10 // bytes of its headers
	idleConns     = 2        // connections to a host that wait for the next delivery
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

// StatusError is an answer that says that a delivery was not taken.
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

// newSender returns a sender. A nil resolver is that of the system.
func newSender(allowed settings.Events, resolver *net.Resolver, now func() time.Time) *sender {
	transport := NewTransport(allowed, resolver, attemptTime)
	transport.MaxResponseHeaderBytes, transport.MaxIdleConnsPerHost = mostHeaders, idleConns
	return &sender{now: now, client: &http.Client{
		Timeout:       attemptTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     transport,
	}}
}

// NewTransport returns what sends requests to the addresses that a version of the site
// allows. Each address that a name resolves to is checked when it is dialed, so that a name
// which leads elsewhere the second time gains nothing. A nil resolver is that of the system.
// within bounds how long connecting takes.
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
		// A connection that is dead is found out, and no answer takes more memory than is read of it.
		HTTP2: &http.HTTP2Config{SendPingTimeout: within / 2, PingTimeout: within / 2, MaxReceiveBufferPerStream: mostAnswer},
	}
}

// close gives up the connections that wait.
func (s *sender) close() { s.client.CloseIdleConnections() }

// send makes one attempt. The receiver has taken the message when it answers with a status
// from 200 to 299; its status is 0 where it did not answer.
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
	// What is left of a short answer is read so that the connection can be used again.
	io.Copy(io.Discard, io.LimitReader(response.Body, mostAnswer))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response.StatusCode, &StatusError{response.StatusCode}
	}
	return response.StatusCode, nil
}

// quotesAnswer is in errors of net/http that quote what was answered.
var quotesAnswer = regexp.MustCompile("malformed HTTP |Content-Length|transfer encoding")

// WithoutURL leaves the URL out of an error: it may hold what is secret. Left out, too, are
// addresses that are refused, those of name servers, and what is answered: whoever may read
// errors must not read the answers of other services with that.
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
