package schema

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// duration returns the length of time of that key, "30d", "12h", "10m" or
// "90s", or what holds without it.
func (o object) duration(key string, longest, otherwise time.Duration) time.Duration {
	v, ok := o.get(key)
	if !ok {
		return otherwise
	}
	text, ok := v.text()
	if !ok {
		return otherwise
	}
	d, err := ParseDuration(text)
	if err != nil || d < time.Second || d > longest {
		v.refuse(fmt.Sprintf("%q is not a length of time from 1s to %dd", text, longest/day), `write it as in "30d", "12h", "10m" or "90s"`)
		return otherwise
	}
	return d
}

// ParseDuration reads a length of time: a number of days such as "90d", or
// whatever time.ParseDuration takes.
func ParseDuration(text string) (time.Duration, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseInt(days, 10, 16)
	return time.Duration(n) * day, err
}

// webAddress returns the http or https URL of that key, empty when it is absent.
func (o object) webAddress(key string) string {
	v, ok := o.get(key)
	if !ok {
		return ""
	}
	text, ok := v.text()
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		v.refuse(fmt.Sprintf("%q is not a web address", text), `write a whole one, such as "https://example.org/welcome"`)
		return ""
	}
	return text
}

// addresses returns the IP addresses and networks of that key. A single address
// is a network of one.
func (o object) addresses(key string) []netip.Prefix {
	var list []netip.Prefix
	for _, w := range o.words(key) {
		prefix, err := netip.ParsePrefix(w.text)
		if address, alone := netip.ParseAddr(w.text); alone == nil {
			prefix, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			w.refuse(fmt.Sprintf("%q is neither an IP address nor a network", w.text), `write "127.0.0.1", "10.0.0.0/8" or "fd00::/8"`)
			continue
		}
		list = append(list, prefix.Masked())
	}
	return list
}
