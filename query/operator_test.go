package query

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"quire/query/params"
	"quire/store"
)

// A list that is none is refused with the key at fault, whatever operator got it
// and wherever it stands, negated or not.
func TestListsThatAreNone(t *testing.T) {
	site := loadSite(t)
	c := NewCompiler(site)
	restaurant := site.Type("api::restaurant.restaurant")
	compile := func(query string) error {
		n, err := params.Parse(query, params.Limits{})
		if err != nil {
			t.Fatal(query, err)
		}
		_, err = c.Compile(restaurant, n, everything{}, Options{})
		return err
	}
	for operator, o := range operators {
		for _, key := range []string{"x", "-1", "101", "100", "1.5", "length"} {
			for _, at := range []string{
				"filters[name]#", "filters[id]#", "filters[chef]#", "filters[chef][name]#", "filters[location][city]#", "filters[name][$not]#",
				"filters[$or][0][name]#", "filters[$not][$and][0][chef][id]#", "populate[chef][filters][name]#",
			} {
				query := strings.Replace(at, "#", "["+operator+"]["+key+"]=1", 1)
				if o.null && strings.HasPrefix(at, "filters[chef]#") {
					continue
				}
				var refused *KeyError
				if err := compile(query); !errors.As(err, &refused) || refused.Key != key || !strings.HasSuffix(refused.Path, operator) {
					t.Errorf("%s: %v", query, err)
				}
			}
		}
	}
	for _, query := range []string{
		"filters[$or][x][name]=1", "filters[$and][-1][name]=1", "filters[$or][101][name]=1", "filters[$or][0][name]=1&filters[$or][101][name]=1",
		"filters[$not][x]=1", "filters[$not][-1][name]=1", "filters[name][$in][0]=1&filters[name][$in][x]=2", "filters[name][$in][-1]=1&filters[name][$in][0]=2",
		"filters[name][101]=1", "filters[id][-1]=1", "filters[chef][101]=1", "filters[name][$in][$eq]=1", "filters[name][$notIn][x][y]=1", "filters[101][name]=1",
		"filters[name][$in][0][x]=1", "filters[name][$eq][0][x]=1",
	} {
		if err := compile(query); err == nil {
			t.Errorf("%s is not refused", query)
		}
	}
	for _, query := range []string{
		"filters[name][$in]=a", "filters[name][$in][]=a", "filters[name][$in][7]=a", "filters[name][$in][99]=a", "filters[name]=a&filters[name]=b",
		"filters[name][$notIn][0]=a&filters[name][$notIn][1]=b", "filters[stars][$between][0]=1&filters[stars][$between][1]=2", "filters[chef][0]=1",
		"filters[$or][7][name]=a", "filters[name][$eq][$eq]=a", "filters[name][$in][5]=a&filters[name][$in][200]=b",
	} {
		if err := compile(query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// What every entry has is not shown because a relation is sorted by it.
func TestFieldsOfASortedRelation(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 20)
	french := &guideMaker{t: t, edit: x.Edit(), id: 1000}
	french.put("restaurant", "fr", store.Published, restaurantID(0), store.Field{Name: "name", Value: text("Biscotte")})
	french.edit.Publish(store.CommitID{Revision: 2})
	c := NewCompiler(site)
	for query, want := range map[string]string{
		"populate[localizations][fields]=name&populate[localizations][sort]=locale":                   "documentId id name",
		"populate[localizations][fields]=name&populate[localizations][sort]=updatedAt:desc,createdAt": "documentId id name",
		"populate[localizations][fields]=name,locale&populate[localizations][sort]=locale":            "documentId id locale name",
		"populate[categories][fields]=name&populate[categories][sort]=code,createdAt":                 "code documentId id name",
	} {
		n, err := params.Parse(query+"&locale=*&pagination[pageSize]=100", params.Limits{})
		check(t, err)
		q, err := c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
		if err != nil {
			t.Fatal(query, err)
		}
		out, err := q.AppendList(context.Background(), x.Snapshot(), nil)
		check(t, err)
		var answer struct {
			Data []struct{ Localizations, Categories []map[string]any }
		}
		check(t, json.Unmarshal(out, &answer))
		shown := 0
		for _, e := range answer.Data {
			for _, one := range slices.Concat(e.Localizations, e.Categories) {
				shown++
				if got := strings.Join(slices.Sorted(maps.Keys(one)), " "); got != want {
					t.Errorf("%s shows %s, not %s", query, got, want)
				}
			}
		}
		if shown == 0 {
			t.Errorf("%s shows nothing", query)
		}
	}
}

// An operator beside attributes in the conditions on one relation is refused with its key.
func TestOperatorsBesideAttributesOfARelation(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	for _, query := range []string{
		"filters[nearby][$null]=true&filters[nearby][name]=x",
		"filters[nearby][name]=x&filters[nearby][$notNull]=true",
		"filters[nearby][$eq]=1&filters[nearby][nearby][name]=x",
		"filters[nearby][nearby][$null]=true&filters[nearby][nearby][name]=x",
	} {
		_, err := ask(t, NewCompiler(site), x.Snapshot(), "restaurant", query)
		if refused := (*params.ParamError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "nearby.$") {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, query := range []string{"filters[nearby][$null]=true", "filters[nearby][$and][0][$notNull]=true&filters[nearby][$and][1][name]=x", "filters[nearby][$eq]=1"} {
		if _, err := ask(t, NewCompiler(site), x.Snapshot(), "restaurant", query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}
