package params

import (
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	for _, test := range []struct{ raw, rest, value, fault string }{
		{"", "", "", ""},
		{"a=1&b=2", "a=1&b=2", "", ""},
		{"token=x", "", "x", ""},
		{"a=1&token=x&b=2", "a=1&b=2", "x", ""},
		{"a=1&%74%6Fken=x%2By+z&&b=2", "a=1&&b=2", "x+y z", ""},
		{"token=", "", "", ""},
		{"token", "", "", "once"},
		{"token[]=x", "", "", "once"},
		{"token%5Ba%5D=x&c=1", "c=1", "", "once"},
		{"token=x&token=y&c", "c", "", "once"},
		{"token=x&token[0]=y", "", "", "once"},
		{"token=%ff", "", "", "once"},
		{"tokens=x&a[token]=y&Token=z", "tokens=x&a[token]=y&Token=z", "", ""},
		{"token%zz=x", "token%zz=x", "", ""},
	} {
		rest, value, found, err := Cut(test.raw, "token")
		if rest != test.rest || found != (rest != test.raw) {
			t.Errorf("%q: rest %q, found %v", test.raw, rest, found)
		}
		if (err != nil) != (test.fault != "") || err == nil && value != test.value {
			t.Errorf("%q: %q, %v", test.raw, value, err)
		}
		if err != nil && (!strings.Contains(err.Error(), test.fault) || strings.Contains(err.Error(), "x")) {
			t.Errorf("%q: %v", test.raw, err)
		}
	}
}

// What Cut leaves reads as the whole does without the parameter.
func TestCutLeavesTheRest(t *testing.T) {
	const rest = "filters[a][$eq]=1&fields=token&populate%5B0%5D=b"
	for _, raw := range []string{"token=x&" + rest, rest + "&token=x", strings.Replace(rest, "&", "&tok%65n=x&", 1)} {
		left, value, _, err := Cut(raw, "token")
		if left != rest || value != "x" || err != nil {
			t.Errorf("%q: %q, %q, %v", raw, left, value, err)
		}
	}
}
