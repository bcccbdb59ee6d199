package bucket

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// transport makes the connections to an object store.
func transport() *http.Transport {
	dialer := &net.Dialer{Timeout: answerTime / 2}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &moving{conn}, nil
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    answerTime / 2,
		ResponseHeaderTimeout:  idleTime,
		MaxConnsPerHost:        MostConnections,
		MaxIdleConnsPerHost:    MostPuts,
		IdleConnTimeout:        idleTime / 2,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // files arrive as they are stored
	}
}

// moving is a connection that ends if nothing moves on it.
type moving struct{ net.Conn }

func (m *moving) Read(p []byte) (int, error) {
	if err := m.SetReadDeadline(time.Now().Add(idleTime)); err != nil {
		return 0, err
	}
	return m.Conn.Read(p)
}

// Write also restarts the time limit for the response, because the client waits for it
// meanwhile.
func (m *moving) Write(p []byte) (int, error) {
	if err := m.SetDeadline(time.Now().Add(idleTime)); err != nil {
		return 0, err
	}
	return m.Conn.Write(p)
}

// staying is a transport that makes an error of each redirect. The client of net/http
// would follow it, or close the body of the request while the transport still sends it.
type staying struct{ http.RoundTripper }

// RoundTrip sends the request. A redirect becomes 421 Misdirected Request, with the body
// in which the store says why.
func (s staying) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if err == nil && isRedirect(answer.StatusCode) {
		answer.StatusCode, answer.Status = http.StatusMisdirectedRequest, "421 Misdirected Request"
	}
	return answer, err
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
