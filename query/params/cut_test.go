package params

import (
	"reflect"
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
		{"[token]=x&c", "c", "", "once"},
		{"c&%5Btoken%5D[0]=x&token=y", "c", "", "once"},
		{"[tokens]=x&[=y&[]=z", "[tokens]=x&[=y&[]=z", "", ""},
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

// FuzzCut: the parameter is found wherever Parse finds it, with the same value, and what is
// left reads as the whole does without it.
func FuzzCut(f *testing.F) {
	for _, raw := range []string{"a=1&token=x&b=2", "[token]=x", "token[a]=x&%74oken=y", "a[token]=1&token%5D=2&[[token]]=3", "[]token=1&token]=2&&=", "token=%ff&[=1", "constructor=1&[constructor][token]=2"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		rest, value, found, err := Cut(raw, "token")
		whole, fault := Parse(raw, Limits{})
		if fault != nil {
			return
		}
		left, fault := Parse(rest, Limits{})
		if fault != nil || !found && whole.Get("token") != nil || !reflect.DeepEqual(plain(left), plain(whole.Without("token"))) {
			t.Fatalf("%q: found %v, left %q, %v", raw, found, rest, fault)
		}
		if found && err == nil && whole.Get("token").Text != value {
			t.Errorf("%q: %q, Parse reads %q", raw, value, whole.Get("token").Text)
		}
	})
}
