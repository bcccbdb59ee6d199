package listen

import (
	"net"
	"testing"
)

// The URL of a site is one that a browser on the machine can open, also if the site listens
// at all addresses.
func TestURL(t *testing.T) {
	for _, test := range []struct{ address, host string }{
		{"127.0.0.1:0", "127.0.0.1"},
		{"0.0.0.0:0", "localhost"},
		{":0", "localhost"},
	} {
		site, err := net.Listen("tcp", test.address)
		if err != nil {
			t.Fatal(err)
		}
		l := &Listeners{Site: site}
		if got, want := l.URL(), "http://"+net.JoinHostPort(test.host, l.Port()); got != want {
			t.Errorf("%s: %s, want %s", test.address, got, want)
		}
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}
}
