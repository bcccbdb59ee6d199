package openid

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"quire/schema/settings"
)

// Limits of one request to a provider.
const (
	requestTime = 10 * time.Second
	mostAnswer  = 1 << 20  // bytes of a response
	mostHeaders = 64 << 10 // bytes of its headers
	idleLasts   = 30 * time.Second
)

// NewClient returns the client for requests to providers. It uses https, and http only to
// this machine. It follows no redirects and uses no proxy, ends after ten seconds, and
// reads at most 1 MiB of a response. allow checks addresses when they are dialed, so that a
// name that resolves differently the second time does not get past it.
func NewClient(allow func(netip.Addr) error) *http.Client {
	dialer := &net.Dialer{Timeout: requestTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%q is not an address that can be checked", address)
		}
		return allow(at.Addr())
	}}
	return &http.Client{
		Timeout:       requestTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: bounded{&http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: requestTime,
			MaxResponseHeaderBytes: mostHeaders, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleLasts,
			HTTP2: &http.HTTP2Config{SendPingTimeout: requestTime / 2, PingTimeout: requestTime / 2},
		}},
	}
}

// bounded refuses requests that could be read on the way, and ends responses that are too
// long with an error.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if why := settings.CheckProviderURL(r.URL); why != "" {
		return nil, errors.New("an address of the provider " + why)
	}
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{ReadCloser: answer.Body, left: mostAnswer}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

var errLong = fmt.Errorf("the response of the provider is longer than %d bytes", mostAnswer)

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if n > b.left {
		return 0, errLong
	}
	b.left -= n
	return n, err
}
