package params

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// plain is the tree as encoding/json would decode it: nil, string, []any and
// map[string]any.
func plain(n *Node) any {
	switch n.Kind {
	case Text:
		return n.Text
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = plain(item)
		}
		return list
	case Object:
		object := make(map[string]any, len(n.Items))
		for i, item := range n.Items {
			object[n.Keys[i]] = plain(item)
		}
		return object
	}
	return nil
}

// Strapi's own parser made testdata/qs-golden.json.
func TestParseAgreesWithTheReference(t *testing.T) {
	data, err := os.ReadFile("testdata/qs-golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Query string
		Want  map[string]any
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 500 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		got, err := Parse(c.Query, Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.Query, err)
		} else if !reflect.DeepEqual(plain(got), any(c.Want)) {
			t.Errorf("%s\n got %v\nwant %v", c.Query, plain(got), c.Want)
		}
	}
}

func TestParseKeepsTheOrderOfTheQuery(t *testing.T) {
	root, err := Parse("sort[stars]=asc&_q=x&sort[name]=desc&sort[2]=y&sort[1]=z&sort[stars]=b", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"sort", "_q"}; !reflect.DeepEqual(root.Keys, want) {
		t.Errorf("parameters %q, want %q", root.Keys, want)
	}
	if got, want := root.Get("sort").Keys, []string{"stars", "name", "2", "1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// A list and a number too high for one are an object; the entries stay apart.
func TestParseNumbersBeyondAList(t *testing.T) {
	root, err := Parse("filters[name][$in][5]=x&filters[name][$in][200]=y", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	in := root.Get("filters").Get("name").Get("$in")
	if !in.IsObject() || in.Get("5").Text != "x" || in.Get("200").Text != "y" {
		t.Errorf("got %v", plain(root))
	}
}

func TestParseOfNothing(t *testing.T) {
	for _, query := range []string{"", "&", "=", "&&=x&"} {
		root, err := Parse(query, Limits{})
		if err != nil || !root.IsObject() || len(root.Items) != 0 {
			t.Errorf("%q: %+v, %v", query, root, err)
		}
	}
}

func TestGetOnWhatIsNoObject(t *testing.T) {
	root, _ := Parse("a=x&b[]=y", Limits{})
	for _, n := range []*Node{nil, root.Get("zzz"), root.Get("a"), root.Get("b")} {
		if got := n.Get("a"); got != nil {
			t.Errorf("Get on %+v gives %+v", n, got)
		}
	}
}

// pairs joins n copies of a pattern that may take its number.
func pairs(n int, pattern string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(pattern, "#", fmt.Sprint(i))
	}
	return strings.Join(list, "&")
}

func TestParseLimits(t *testing.T) {
	deep := func(n int) string { return "filters" + strings.Repeat("[a]", n) }
	tests := []struct {
		name, fits, refused string
		param, message      string
	}{
		{
			"parameters", pairs(1000, "p#=x") + "&&", pairs(1001, "p#=x"),
			"", "The query has more than 1000 parameters",
		}, {
			"repeated empty brackets", pairs(100, "fields[]=x"), pairs(101, "fields[]=x"),
			"fields", `The list at "fields[]" has more than 100 entries`,
		}, {
			"repeated key", pairs(100, "sort=x"), pairs(101, "sort=x"),
			"sort", `The list at "sort" has more than 100 entries`,
		}, {
			"repeated nested key", pairs(100, "a[b]=x"), pairs(101, "a[b]=x"),
			"a", `The list at "a[b]" has more than 100 entries`,
		}, {
			"numbers", pairs(100, "populate[#]=x"), pairs(101, "populate[#]=x"),
			"populate", `The list at "populate[100]" has more than 100 entries`,
		}, {
			"numbers, backwards", pairs(99, "a[2#]=x") + "&a[200]=x", pairs(101, "a[2#0]=x"),
			"a", `The list at "a[21000]" has more than 100 entries`,
		}, {
			"numbers, then a repeated key", pairs(99, "a[#]=x") + "&a=x", pairs(100, "a[#]=x") + "&a=x",
			"a", `The list at "a" has more than 100 entries`,
		}, {
			"two lists of one name", pairs(50, "a[]=x") + "&" + pairs(50, "a=x"), pairs(50, "a[]=x") + "&" + pairs(51, "a=x"),
			"a", `The list at "a" has more than 100 entries`,
		}, {
			"depth", deep(20) + "=x", deep(21) + "=x",
			"filters", `The key "` + deep(21) + `" is nested deeper than 20 levels`,
		}, {
			"depth of what does not close", "b" + deep(19) + "[x=1", deep(20) + "[x=1",
			"filters", `The key "` + deep(20) + `[x" is nested deeper than 20 levels`,
		}, {
			"a long key", "é" + deep(3) + "=x", strings.Repeat("é", 200) + deep(21) + "=x",
			strings.Repeat("é", 200) + "filters", `The key "` + strings.Repeat("é", 60) + `"… is nested deeper than 20 levels`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Parse(test.fits, Limits{}); err != nil {
				t.Errorf("within the limit: %v", err)
			}
			_, err := Parse(test.refused, Limits{})
			var refused *ParamError
			if !errors.As(err, &refused) {
				t.Fatalf("above the limit: %v, want a *ParamError", err)
			}
			if refused.Param != test.param || refused.Message != test.message {
				t.Errorf("got %q: %s\nwant %q: %s", refused.Param, refused.Message, test.param, test.message)
			}
		})
	}
}

func TestParseOwnLimits(t *testing.T) {
	l := Limits{Parameters: 2, ArrayLimit: 1, Depth: 1}
	for query, ok := range map[string]bool{
		"a=1&b=2": true, "a=1&b=2&c=3": false,
		"a[]=1": true, "a[]=1&a[]=2": false, "a[0]=1": true, "a[1]=1": true,
		"a[b]=1": true, "a[b][c]=1": false,
	} {
		if _, err := Parse(query, l); (err == nil) != ok {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestParseRefusesWhatIsNotUTF8(t *testing.T) {
	tests := []struct{ query, key, message string }{
		{"a[b]=%ff", "a[b]", `The value of "a[b]" is not valid UTF-8`},
		{"a=x&b=%C3", "b", `The value of "b" is not valid UTF-8`},
		{"a=%ED%A0%80", "a", `The value of "a" is not valid UTF-8`},
		{"a=\xff", "a", `The value of "a" is not valid UTF-8`},
		{"a=%zz\xff", "a", `The value of "a" is not valid UTF-8`},
		{"a[%ff]=x", "a[%ff]", `The key "a[%ff]" is not valid UTF-8`},
		{"a\xff=x", "a\ufffd", `The key "a` + "\ufffd" + `" is not valid UTF-8`},
		{"\xff", "\ufffd", `The key "` + "\ufffd" + `" is not valid UTF-8`},
	}
	for _, test := range tests {
		_, err := Parse(test.query, Limits{})
		var refused *ParamError
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v, want a *ParamError", test.query, err)
		} else if refused.Key != test.key || refused.Message != test.message {
			t.Errorf("%q: key %q: %s", test.query, refused.Key, refused.Message)
		}
	}
}
