package edge

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, test := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:1000", "", "192.0.2.1"},
		{"192.0.2.1:1000", "198.51.100.7", "192.0.2.1"},
		{"10.0.0.1:1000", "", "10.0.0.1"},
		{"10.0.0.1:1000", "198.51.100.7", "198.51.100.7"},
		{"10.0.0.1:1000", "203.0.113.9, 198.51.100.7", "198.51.100.7"},
		{"10.0.0.1:1000", "198.51.100.7,10.0.0.2 , 10.0.0.3", "198.51.100.7"},
		{"10.0.0.1:1000", "10.0.0.2", "10.0.0.2"},
		{"10.0.0.1:1000", "198.51.100.7, nonsense", "10.0.0.1"},
		{"10.0.0.1:1000", "nonsense, 198.51.100.7", "198.51.100.7"},
		{"10.0.0.1:1000", "198.51.100.7:51234", "198.51.100.7"},
		{"10.0.0.1:1000", "203.0.113.9:1, 198.51.100.7:51234, 10.0.0.2:443", "198.51.100.7"},
		{"10.0.0.1:1000", "[2001:db8::1]:443", "2001:db8::1"},
		{"10.0.0.1:1000", "[2001:db8::1]", "2001:db8::1"},
		{"10.0.0.1:1000", "[::ffff:198.51.100.7]:443", "198.51.100.7"},
		{"10.0.0.1:1000", "198.51.100.7:65536", "10.0.0.1"},
		{"10.0.0.1:1000", "198.51.100.7:-1", "10.0.0.1"},
		{"10.0.0.1:1000", "198.51.100.7:", "10.0.0.1"},
		{"10.0.0.1:1000", "198.51.100.7:80:80", "10.0.0.1"},
		{"10.0.0.1:1000", ":443", "10.0.0.1"},
		{"10.0.0.1:1000", "[198.51.100.7]:443", "10.0.0.1"},
		{"10.0.0.1:1000", "[2001:db8::1]:", "10.0.0.1"},
		{"10.0.0.1:1000", "[2001:db8::1]443", "10.0.0.1"},
		{"10.0.0.1:1000", "[2001:db8::1", "10.0.0.1"},
		{"10.0.0.1:1000", "[]:443", "10.0.0.1"},
		{"10.0.0.1:1000", "fe80::1%eth0", "10.0.0.1"},
		{"10.0.0.1:1000", "[fe80::1%eth0]:443", "10.0.0.1"},
		{"10.0.0.1:1000", "198.51.100.7, , 10.0.0.2", "10.0.0.2"},
		{"10.0.0.1:1000", "198.51.100.7,", "10.0.0.1"},
		{"10.0.0.1:1000", "gateway.example:443", "10.0.0.1"},
		{"[fd00::1]:1000", "2001:db8::7", "2001:db8::7"},
		{"[fd00::1%eth0]:1000", "2001:db8::7", "2001:db8::7"},
		{"[::ffff:10.0.0.1]:1000", "::ffff:198.51.100.7", "198.51.100.7"},
		{"@", "198.51.100.7", "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.remote
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := ClientAddress(r, proxies).String(); got != test.want {
			t.Errorf("from %s for %q: %s, want %s", test.remote, test.forwarded, got, test.want)
		}
		if got := ClientAddress(r, nil).String(); test.want != "invalid IP" && strings.Contains(test.forwarded, got) && got != "" && test.forwarded != "" {
			t.Errorf("without proxies %q is believed", test.forwarded)
		}
	}
}

// FuzzForwarded: whatever the header contains, only trusted proxies affect the address
// of the client.
func FuzzForwarded(f *testing.F) {
	f.Add("198.51.100.7, 10.0.0.2")
	f.Add(",,,")
	f.Add("198.51.100.7:80, [::1]:5, fe80::1%eth0")
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["X-Forwarded-For"] = []string{header}
		r.RemoteAddr = "192.0.2.1:1000"
		if got := ClientAddress(r, proxies); got != netip.MustParseAddr("192.0.2.1") {
			t.Errorf("%q: %s", header, got)
		}
		r.RemoteAddr = "10.0.0.1:1000"
		if got := ClientAddress(r, proxies); !got.IsValid() || got.Zone() != "" {
			t.Errorf("%q: %s", header, got)
		}
	})
}
