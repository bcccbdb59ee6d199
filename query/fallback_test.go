package query

import (
	"encoding/json"
	"fmt"
	"testing"

	"quire/query/params"
	"quire/store"
)

// Seen from the other side a document links in the version that is shown: in its
// translation, and in the stand-in only where there is none.
func TestOwnersStandIn(t *testing.T) {
	site := modelSite(t)
	x := emptyIndex(t, site)
	restaurant := site.Type("api::restaurant.restaurant")
	var changes []store.Change
	add := func(documentID, locale, name string, follows ...string) {
		fields := []store.Field{{Name: "name", Value: text(name)}}
		if len(follows) > 0 {
			place := uint64(len(changes))
			fields = append(fields, store.Field{Name: "follows", Value: edges(&place, follows...)})
		}
		changes = append(changes, store.Change{Type: restaurant.UID, After: &store.Entry{
			ID: uint64(len(changes) + 1), DocumentID: documentID, Locale: locale, Status: store.Published, PublishedAt: 1.7e12, Fields: fields,
		}})
	}
	add("a", "en", "A")
	add("a", "fr", "A fr")
	add("b", "en", "B", "a") // its translation does not follow
	add("b", "fr", "B fr")
	add("c", "en", "C", "a", "d") // it has none
	add("d", "en", "D")
	applyTo(t, x, changes)
	c := NewCompiler(site)
	for _, test := range []struct{ query, want string }{
		{"filters[followers][name]=B", "[]"},
		{"filters[followers][name]=C", "[{A fr [{C}]} {D [{C}]}]"},
		{"filters[followers][locale]=en&filters[name][$contains]=A", "[{A fr [{C}]}]"},
		{"filters[follows][name]=A fr", "[{C []}]"},
		{"filters[follows][name]=A", "[]"},
		{"sort=followers.name:desc", "[{B fr []} {C []} {A fr [{C}]} {D [{C}]}]"},
		{"filters[followers][id][$null]=true", "[{B fr []} {C []}]"},
	} {
		n, err := params.Parse("locale=fr&fallbackLocale=en&fields=name&populate[followers][fields]=name&"+test.query, params.Limits{})
		check(t, err)
		q, err := c.Compile(restaurant, n, everything{}, Options{})
		check(t, err)
		out, err := q.AppendList(t.Context(), x.Snapshot(), nil)
		check(t, err)
		var list struct {
			Data []struct {
				Name      string
				Followers []struct{ Name string }
			}
		}
		check(t, json.Unmarshal(out, &list))
		if got := fmt.Sprint(list.Data); got != test.want {
			t.Errorf("%s: %s, want %s", test.query, got, test.want)
		}
	}
}
