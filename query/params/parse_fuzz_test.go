package params

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds Parse to what package query takes for granted of any
// tree, whatever the bytes it came from.
func FuzzParse(f *testing.F) {
	for _, query := range []string{
		"", "a=b&c", "a[0]=x&a[b]=y&a=z", "a[]=1&a[]=2&a[200]=3", "a[b[c]]=%C3%A9+%zz", "[]=x&[a", "%5B%5D=%5B",
		"filters[$or][0][name][$eq]=a&filters[$or][1][stars]=3", "a[99]=x&a=y&a=z&a[x]",
		"__proto__[a]=b&a[constructor]=c", strings.Repeat("a[b", 30) + "]=c",
	} {
		f.Add(query)
	}
	limits := Limits{Parameters: 50, ArrayLimit: 10, Depth: 5}
	f.Fuzz(func(t *testing.T, query string) {
		root, err := Parse(query, limits)
		if err != nil {
			var refused *ParamError
			if !errors.As(err, &refused) || !utf8.ValidString(refused.Key+refused.Message) {
				t.Fatalf("%q: refused with %#v", query, err)
			}
			return
		}
		checkTree(t, root, limits, 0)
		again, _ := Parse(query, limits)
		if !reflect.DeepEqual(root, again) {
			t.Errorf("%q: two trees", query)
		}
		checkJSON(t, root, limits)
	})
}

func checkTree(t *testing.T, n *Node, l Limits, depth int) {
	switch n.Kind {
	case Null, Text:
		if n.Keys != nil || n.Items != nil || n.Kind == Null && n.Text != "" || !utf8.ValidString(n.Text) {
			t.Errorf("a leaf %+v", n)
		}
		return
	case List:
		if n.Keys != nil || len(n.Items) == 0 || len(n.Items) > l.ArrayLimit {
			t.Errorf("a list %+v", n)
		}
	case Object:
		if len(n.Keys) != len(n.Items) || n.Text != "" {
			t.Errorf("an object %+v", n)
		}
		keys := slices.Sorted(slices.Values(n.Keys))
		if len(slices.Compact(keys)) != len(n.Keys) || !utf8.ValidString(strings.Join(n.Keys, "")) {
			t.Errorf("keys %q", n.Keys)
		}
	}
	// The name of a parameter, its brackets, and one list for each time that a
	// value met an object.
	if depth > 2*(l.Depth+1) {
		t.Errorf("%d levels", depth)
	}
	for _, item := range n.Items {
		checkTree(t, item, l, depth+1)
	}
}

// checkJSON holds FromJSON to giving the same tree for the same content.
func checkJSON(t *testing.T, root *Node, l Limits) {
	data, err := json.Marshal(plain(root))
	if err != nil {
		t.Fatal(err)
	}
	l.Depth = 2 * (l.Depth + 1)
	back, err := FromJSON(data, l)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if !reflect.DeepEqual(plain(back), plain(root)) {
		t.Errorf("%s: back as %v", data, plain(back))
	}
}
