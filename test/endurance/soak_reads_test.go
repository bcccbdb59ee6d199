package endurance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Clients that read: what is asked for changes with every request, and the content
// changes meanwhile.

func readMuch(c *soakClient) (again, leave func()) {
	return func() {
		switch c.random.IntN(10) {
		case 0:
			c.readOne()
		case 1:
			c.list("read: list", fmt.Sprintf("/api/restaurants?pagination[page]=%d&pagination[pageSize]=%d", 1+c.random.IntN(50), 1+c.random.IntN(100)))
		case 2:
			c.list("read: filter", fmt.Sprintf("/api/restaurants?filters[stars][$gte]=%d&filters[tagline][$containsi]=%s&sort=rating:desc", c.random.IntN(6), one(c.random, soakWords...)))
		case 3:
			c.list("read: filter", fmt.Sprintf("/api/restaurants?filters[chef][name]=Chef%%20%d&filters[$or][0][vegan]=true&filters[$or][1][stars][$in][0]=%d&sort=name", c.random.IntN(soakChefs), c.random.IntN(6)))
		case 4:
			c.list("read: sort", "/api/restaurants?status=draft&pagination[pageSize]=10&sort="+one(c.random, "name", "rating:desc", "founded", "chef.name,stars:desc", "createdAt:desc"))
		case 5:
			c.list("read: populate", "/api/restaurants?pagination[pageSize]=10&populate="+one(c.random, "*", "chef", "categories,location"))
		case 6:
			c.list("read: populate deep", "/api/restaurants?populate[chef][populate][restaurants][fields]=name&populate[categories]=true&fields=name&pagination[pageSize]=5")
		case 7:
			c.list("read: search", "/api/restaurants?fields=name&_q="+one(c.random, soakWords...))
		case 8:
			c.readCompressed()
		case 9:
			c.ask404()
		}
	}, func() {}
}

// readOne reads one of the documents that stay as they are.
func (c *soakClient) readOne() {
	id := soakRestaurant(c.random.IntN(soakRestaurants))
	a, ok := c.send(soakRequest{kind: "read: one", path: "/api/restaurants/" + id + "?populate=chef", public: true})
	var entry struct {
		DocumentID string
		Chef       struct{ DocumentID string }
	}
	if ok && (json.Unmarshal(a.Data, &entry) != nil || entry.DocumentID != id || entry.Chef.DocumentID == "") {
		c.wrong("read: one", "%s is %.200s", id, a.text)
	}
}

func (c *soakClient) readCompressed() {
	c.send(soakRequest{kind: "read: compressed", path: fmt.Sprintf("/api/restaurants?populate=*&pagination[page]=%d", 1+c.random.IntN(40)), coding: one(c.random, "gzip", "zstd", "zstd, gzip;q=0.5")})
}

// ask404 asks for what is not there, or not in that way.
func (c *soakClient) ask404() {
	r := soakRequest{kind: "read: refused"}
	switch c.random.IntN(5) {
	case 0:
		r.path, r.right = "/api/restaurants/nothing", []int{http.StatusNotFound}
	case 1:
		r.path, r.right = "/api/nothing", []int{http.StatusNotFound}
	case 2:
		r.path, r.method, r.right = "/api/restaurants", "DELETE", []int{http.StatusMethodNotAllowed}
	case 3:
		r.path, r.public, r.right = "/api/reviews", true, []int{http.StatusForbidden}
	case 4:
		r.path, r.bearer, r.right = "/api/restaurants", "nobody", []int{http.StatusUnauthorized}
	}
	c.send(r)
}

// readAgain asks for what it has already, with the tag that came with it.
func readAgain(c *soakClient) (again, leave func()) {
	has := map[string]string{}
	return func() {
		path := one(c.random, "/api/categories?sort=code", "/api/restaurants?sort=name&pagination[pageSize]=5", "/api/reviews", "/api/chefs?populate=restaurants&pagination[pageSize]=2")
		a, ok := c.send(soakRequest{kind: "read: conditional", path: path, tag: has[path], right: []int{http.StatusOK, http.StatusNotModified}})
		switch {
		case !ok:
		case a.status == http.StatusNotModified && len(a.text) > 0:
			c.wrong("read: conditional", "304 with a body: %.100s", a.text)
		case a.tag == "":
			c.wrong("read: conditional", "%s has no tag", path)
		case a.status == http.StatusOK && strings.HasPrefix(path, "/api/categories") && has[path] == a.tag:
			c.wrong("read: conditional", "%s was sent again under the same tag", path)
		}
		has[path] = a.tag
	}, func() {}
}

// signIn registers, signs in and out, and tries wrong passwords.
func signIn(c *soakClient) (again, leave func()) {
	round := 0
	const credentials = `{"identifier": %q, "password": %q}`
	return func() {
		round++
		name := fmt.Sprintf("%s-%d", c.name, round)
		a, ok := c.send(soakRequest{kind: "sign-in: register", method: "POST", path: "/api/auth/local/register", public: true,
			body: fmt.Sprintf(`{"username": %q, "email": "%s@example.org", "password": "secret-1"}`, name, name)})
		if !ok {
			return
		}
		var account struct {
			JWT  string
			User struct{ ID int }
		}
		if err := json.Unmarshal(a.text, &account); err != nil || account.User.ID == 0 {
			c.wrong("sign-in: register", "%.200s", a.text)
			return
		}
		c.send(soakRequest{kind: "sign-in", method: "POST", path: "/api/auth/local", public: true, body: fmt.Sprintf(credentials, name, "secret-1")})
		c.send(soakRequest{kind: "sign-in: refused", method: "POST", path: "/api/auth/local", public: true, body: fmt.Sprintf(credentials, name, "wrong"), right: []int{http.StatusBadRequest}})
		c.send(soakRequest{kind: "sign-in: me", path: "/api/users/me", bearer: account.JWT})
		c.send(soakRequest{kind: "sign-in: read", path: "/api/restaurants?populate=chef", bearer: account.JWT})
		c.send(soakRequest{kind: "sign-in: delete", method: "DELETE", path: fmt.Sprintf("/api/users/%d", account.User.ID)})
		c.send(soakRequest{kind: "sign-in: refused", path: "/api/users/me", bearer: account.JWT, right: []int{http.StatusUnauthorized}})
	}, func() {}
}
