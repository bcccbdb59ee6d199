package query

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// secretMark is in every hidden value of the fuzzed content.
const secretMark = "5ecret-of-the-house"

// FuzzCompile compiles and runs any query, on any type, for a caller who may do
// everything or little, and for an account of the admin. Whatever comes of it, nothing hidden may show: not as a
// value, and not in the difference between two contents that have other secrets.
func FuzzCompile(f *testing.F) {
	for i, query := range []string{
		"", "populate=*&sort=chef.name:desc,id&filters[chef][name][$containsi]=a&pagination[page]=2&pagination[pageSize]=3",
		"filters[secret_note][$startsWith]=5ecret", "sort=door_code", "populate[opening_hours][fields]=note", "_q=5ecret", "_q=a&sort=_rank,name", "_q=1&sort[_rank]=desc&locale=*",
		"filters[$not][$or][0][opening_hours][note][$null]=false", "populate[reviews][populate][author][filters][password][$contains]=5",
		"pagination[after]=&pagination[limit]=1&sort=chef.name:desc,name", "pagination[after]=AAAA&sort=opening_hours.note", "populate[*]=3&pagination[pageSize]=1",
		"locale=fr&fallbackLocale=en,it&filters[chef][name][$null]=false&populate[nearby][populate]=localizations&status=draft",
	} {
		f.Add(query, uint16(i))
		f.Add(query, uint16(i)|512)
		f.Add(query, uint16(i)|32)
	}
	site := loadSite(f)
	one, other := secretContent(f, site, " one"), secretContent(f, site, " other")
	c, account := NewCompiler(site), newFuzzedAccount(f, site)
	f.Fuzz(func(t *testing.T, raw string, choice uint16) {
		n, err := params.Parse(raw, params.Limits{})
		var q *Query
		if err == nil {
			o := Options{V4: choice&64 != 0, Write: choice&128 != 0, Bare: choice&256 != 0}
			if choice&512 != 0 {
				o.Document = documentName(fuzzedType(site, choice), 0)
			}
			q, err = c.Compile(fuzzedType(site, choice), n, fuzzedCaller(account, choice), o)
		}
		if err != nil {
			if !isRefusal(err) {
				t.Fatalf("%q: refused with %#v", raw, err)
			}
			if reveals(err.Error(), raw) {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		for name, read := range reads(q) {
			a, aErr := read(one)
			b, bErr := read(other)
			switch {
			case aErr != nil || bErr != nil: // more work than was allowed
			case !json.Valid(a):
				t.Errorf("%q: %s is not JSON: %s", raw, name, a)
			case !bytes.Equal(a, b) || reveals(string(a), raw):
				t.Errorf("%q: %s reveals what is hidden:\n%s\n%s", raw, name, a, b)
			}
		}
	})
}

// reveals reports whether a text has something hidden in it that the client did
// not write itself.
func reveals(text, raw string) bool {
	return strings.Contains(text, secretMark) && !strings.Contains(raw, secretMark[:3])
}

// fuzzedType is a content type, single types and built-in ones included.
func fuzzedType(site *schema.Site, choice uint16) *schema.Type {
	return site.Types[int(choice&15)%len(site.Types)]
}

func fuzzedCaller(account fuzzedAccount, choice uint16) schema.Access {
	switch choice >> 4 & 3 {
	case 0:
		return someTypes{}
	case 1:
		return someTypes{"api::restaurant.restaurant": true, "api::chef.chef": true, "plugin::users-permissions.user": true}
	case 2:
		return account
	}
	return everything{}
}

// fuzzedAccount is an account of the admin whose role hides all that is private, in the
// types and in their components.
type fuzzedAccount struct {
	everything
	sights map[*schema.Type]*schema.Sight // none of built-in types
}

func (f fuzzedAccount) Sight(t *schema.Type) *schema.Sight { return f.sights[t] }

func newFuzzedAccount(t testing.TB, site *schema.Site) fuzzedAccount {
	a := fuzzedAccount{sights: map[*schema.Type]*schema.Sight{}}
	for ct := range site.Served() {
		s, err := schema.NewSight(ct, privatePaths(ct, ""), nil)
		check(t, err)
		a.sights[ct] = s
	}
	return a
}

func privatePaths(t *schema.Type, at string) (paths []string) {
	for _, a := range t.Attributes {
		if a.Private {
			paths = append(paths, at+a.Name)
		}
		for _, c := range a.Zone {
			paths = append(paths, privatePaths(c, at+a.Name+".")...)
		}
		if a.ComponentType != nil {
			paths = append(paths, privatePaths(a.ComponentType, at+a.Name+".")...)
		}
	}
	return paths
}

// reads are the ways to run a query. None looks at more than a bounded number
// of rows, since populating in circles multiplies them.
func reads(q *Query) map[string]func(*index.Snapshot) ([]byte, error) {
	return map[string]func(*index.Snapshot) ([]byte, error){
		"the list": func(s *index.Snapshot) ([]byte, error) {
			return q.AppendList(&patience{context.Background(), 40}, s, nil)
		},
		"the array": func(s *index.Snapshot) ([]byte, error) {
			return q.AppendBare(&patience{context.Background(), 40}, s, nil)
		},
		"the entry": func(s *index.Snapshot) ([]byte, error) {
			out, ok, err := q.AppendOne(&patience{context.Background(), 40}, s, documentName(q.t, 0), nil)
			if !ok {
				out = []byte("null")
			}
			return out, err
		},
		"the written entry": func(s *index.Snapshot) ([]byte, error) {
			keys := s.Versions(q.t, documentName(q.t, 0))
			if len(keys) == 0 {
				return []byte("null"), nil
			}
			out, _, err := q.AppendEntry(&patience{context.Background(), 40}, s, keys[0], nil, nil)
			return out, err
		},
	}
}

// patience is a context that is cancelled once it has been asked often enough.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// secretContent is an index of a few documents whose hidden texts end so.
func secretContent(t testing.TB, site *schema.Site, ending string) *index.Snapshot {
	t.Helper()
	d := newDice(site, 11)
	for t := range d.docs {
		d.docs[t] = 3
	}
	x := emptyIndex(t, site)
	edit := x.Edit()
	for _, c := range d.world().changes() {
		e := *c.After
		e.Fields = withSecrets(site, site.Type(c.Type), e.Fields, ending)
		check(t, edit.Apply(store.Change{Type: c.Type, After: &e}))
	}
	return edit.Publish(store.CommitID{Revision: 1})
}

// withSecrets gives every hidden text attribute a secret, also in components.
func withSecrets(site *schema.Site, t *schema.Type, fields []store.Field, ending string) []store.Field {
	fields = slices.DeleteFunc(slices.Clone(fields), func(f store.Field) bool { return t.Attribute(f.Name).Hidden() })
	for i, f := range fields {
		if f.Value.Kind != store.Instances {
			continue
		}
		records := slices.Clone(f.Value.Instances)
		for j := range records {
			records[j].Fields = withSecrets(site, site.Type(records[j].Component), records[j].Fields, ending)
		}
		fields[i].Value.Instances = records
	}
	for _, a := range t.Attributes {
		if a.Hidden() && a.IsText() {
			fields = append(fields, store.Field{Name: a.Name, Value: text(secretMark + ending)})
		}
	}
	return fields
}
