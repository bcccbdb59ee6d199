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
