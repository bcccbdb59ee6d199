package schema_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/schema/source"
)

// FuzzLoad reads a site of one content type. Load must either refuse it with
// problems that say where, or return a site without loose ends.
func FuzzLoad(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		site, err := schema.Load(fstest.MapFS{
			"src/api/a/content-types/a/schema.json": {Data: data},
			"src/components/c/d.json":               {Data: []byte(`{"attributes": {"e": {"type": "string"}}}`)},
		})
		if err != nil {
			checkProblems(t, err)
			return
		}
		for _, ct := range site.Types {
			checkType(t, ct)
		}
	})
}

func checkProblems(t *testing.T, err error) {
	var problems *source.Problems
	if !errors.As(err, &problems) || len(problems.List) == 0 {
		t.Fatalf("not *Problems: %v", err)
	}
	for _, p := range problems.List {
		if p.File == "" || p.Message == "" || p.Fix == "" {
			t.Errorf("incomplete: %#v", p)
		}
	}
}

func checkType(t *testing.T, ct *schema.Type) {
	for i, a := range ct.Attributes {
		if a.Pos != i || ct.Attribute(a.Name) != a || a.Kind == 0 {
			t.Errorf("%s.%s: %+v", ct.UID, a.Name, a)
		}
		switch a.Kind {
		case schema.Component:
			if a.ComponentType == nil {
				t.Errorf("%s.%s holds no component", ct.UID, a.Name)
			}
		case schema.DynamicZone:
			if len(a.Zone) == 0 {
				t.Errorf("%s.%s allows no component", ct.UID, a.Name)
			}
		case schema.RelationKind, schema.Media:
			checkRelation(t, a)
		}
	}
}

func checkRelation(t *testing.T, a *schema.Attribute) {
	r := a.Relation
	if r == nil || (r.Target == nil) != r.Morph() || !r.Owns && r.Inverse == nil {
		t.Fatalf("%s.%s: %+v", a.Owner.UID, a.Name, r)
	}
	if back := r.Inverse; back != nil && !back.Relation.Morph() && back.Relation.Inverse != a {
		t.Errorf("%s.%s and its other side do not agree", a.Owner.UID, a.Name)
	}
}
