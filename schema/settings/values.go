package settings

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"quire/schema/source"
)

// readDuration reads the duration at the key, "30d", "12h", "10m" or "90s", of at least a
// second. It returns otherwise if there is none.
func readDuration(o source.Object, key string, longest, otherwise time.Duration) time.Duration {
	v, ok := o.Get(key)
	if !ok {
		return otherwise
	}
	text, ok := v.Text()
	if !ok {
		return otherwise
	}
	d, err := ParseDuration(text)
	if err != nil || d < time.Second || d > longest {
		v.Refuse(fmt.Sprintf("%q is not a length of time from 1s to %dd", text, longest/day), `write it as in "30d", "12h", "10m" or "90s"`)
		return otherwise
	}
	return d
}

// ParseDuration reads a duration: a number of days like "90d", or what time.ParseDuration
// takes.
func ParseDuration(text string) (time.Duration, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseInt(days, 10, 16)
	return time.Duration(n) * day, err
}

// readWebAddress reads the http or https URL at the key; "" if there is none.
func readWebAddress(o source.Object, key string) string {
	v, ok := o.Get(key)
	if !ok {
		return ""
	}
	text, ok := v.Text()
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		v.Refuse(fmt.Sprintf("%q is not a web address", text), `write a whole one, such as "https://example.org/welcome"`)
		return ""
	}
	return text
}

// readNetworks reads the IP addresses and networks at the key. A single address
// is a network of one.
func readNetworks(o source.Object, key string) []netip.Prefix {
	var list []netip.Prefix
	for _, w := range o.Words(key) {
		prefix, err := netip.ParsePrefix(w.Text)
		if address, alone := netip.ParseAddr(w.Text); alone == nil {
			prefix, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			w.Refuse(fmt.Sprintf("%q is neither an IP address nor a network", w.Text), `write "127.0.0.1", "10.0.0.0/8" or "fd00::/8"`)
			continue
		}
		list = append(list, prefix.Masked())
	}
	return list
}
