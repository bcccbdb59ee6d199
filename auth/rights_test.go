package auth

import "testing"

func TestCallersWithTheSameRights(t *testing.T) {
	custom := func(name string, permissions ...string) *Caller {
		return (&token{Name: name, Kind: Custom, Permissions: permissions}).caller()
	}
	find := Permission{"api::a.a", "find"}
	groups := map[string][]*Caller{
		"nothing":    {custom("a"), newRole("public", nil)},
		"one":        {custom("a", "api::a.a.find"), custom("b", "api::a.a.find"), newRole("public", []Permission{find})},
		"another":    {custom("a", "api::b.b.find")},
		"other":      {custom("a", "api::a.a.findOne")},
		"both":       {custom("a", "api::a.a.find", "api::b.b.find"), custom("a", "api::b.b.find", "api::a.a.find")},
		"reading":    {(&token{Name: "a", Kind: ReadOnly}).caller(), (&token{Name: "b", Kind: ReadOnly}).caller()},
		"everything": {(&token{Name: "a", Kind: FullAccess}).caller()},
	}
	seen := map[Rights]string{}
	for name, callers := range groups {
		for _, c := range callers {
			if *c.Rights() != *callers[0].Rights() {
				t.Errorf("%s: callers that may do the same have different rights", name)
			}
			if c.Full() != (name == "everything") {
				t.Errorf("%s: full access is %t", name, c.Full())
			}
		}
		if other, ok := seen[*callers[0].Rights()]; ok {
			t.Errorf("%s and %s have the same rights", name, other)
		}
		seen[*callers[0].Rights()] = name
	}
}
