package server_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// What is published for the first time has the order of the drafts in the lists of others,
// whichever is published first. Strapi 5.54 answers the same.
func TestFirstPublicationHasTheOrderOfTheDrafts(t *testing.T) {
	for _, test := range []struct{ others, owner string }{
		{"chefs", `{"data": {"name": "Ada", "restaurants": `},
		{"categories", `{"data": {"name": "Soups", "restaurants": `},
	} {
		c := newClient(t)
		var made []string
		items := ""
		for _, name := range []string{"Aa", "Bb", "Cc"} {
			id := c.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "`+name+`"}}`).documentID(t)
			made, items = append(made, id), items+`, "`+id+`"`
		}
		other := "/api/" + test.others + "/" + c.send("full", "POST", "/api/"+test.others, test.owner+"["+items[2:]+"]}}").documentID(t)
		for _, step := range []struct {
			publishes int
			want      []string
		}{{2, []string{"Cc"}}, {0, []string{"Aa", "Cc"}}, {1, []string{"Aa", "Bb", "Cc"}}, {2, []string{"Aa", "Bb", "Cc"}}} {
			if a := c.send("full", "PUT", "/api/restaurants/"+made[step.publishes], `{"data": {}}`); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			var shown struct {
				Data struct{ Restaurants []struct{ Name string } }
			}
			check(t, json.Unmarshal([]byte(c.send("full", "GET", other+"?populate=restaurants", "").body), &shown))
			var names []string
			for _, r := range shown.Data.Restaurants {
				names = append(names, r.Name)
			}
			if !slices.Equal(names, step.want) {
				t.Errorf("%s after %d was published: %q, want %q", test.others, step.publishes, names, step.want)
			}
		}
	}
}
