package server_test

import (
	"strings"
	"testing"
)

const (
	jsonBody = "application/json"
	formBody = "application/x-www-form-urlencoded"
)

func TestBodies(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	nested := func(levels int) string {
		return `{"data": {"name": "x", "awards": ` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}}`
	}
	for _, test := range []struct {
		kind, body string
		status     int
		message    string // part of it
	}{
		{jsonBody, `{"data": {"name": "plain"}}`, 201, ""},
		{jsonBody + "; charset=utf-8", `{"data": {"name": "charset"}}`, 201, ""},
		{"application/vnd.api+json", `{"data": {"name": "other JSON"}}`, 201, ""},
		{jsonBody, ` {"data": {"name": "first"}, "data": {"name": "last wins"}} `, 201, ""},
		{jsonBody, `{"other": 1, "data": {"name": "beside"}}`, 201, ""},
		{formBody, "data[name]=Form&data[bio]=a+b", 201, ""},
		{formBody, "data%5Bname%5D=Form", 201, ""},
		{jsonBody, nested(15), 201, ""},

		{jsonBody, "", 400, `Missing "data"`},
		{jsonBody, `null`, 400, `Missing "data"`},
		{jsonBody, `[]`, 400, `Missing "data"`},
		{jsonBody, `"data"`, 400, `Missing "data"`},
		{jsonBody, `{"Data": {"name": "x"}}`, 400, `Missing "data"`},
		{jsonBody, `{"data": "x"}`, 400, `Missing "data"`},
		{jsonBody, `{"data": []}`, 400, "must be a `object` type"},
		{formBody, "name=x", 400, `Missing "data"`},
		{formBody, "data=x", 400, `Missing "data"`},
		{"text/plain", "data[name]=x", 400, `Missing "data"`},
		{"multipart/form-data; boundary=x", "--x--", 400, `Missing "data"`},
		{"", `{"data": {"name": "x"}}`, 400, `Missing "data"`},

		{jsonBody, `{"data": {"name": "x"}`, 400, "not valid JSON: unexpected end"},
		{jsonBody, `{"data": {"name": "x"}} more`, 400, "not valid JSON: invalid character 'm'"},
		{jsonBody, `{"data": {"name": "x"}}{}`, 400, "not valid JSON"},
		{jsonBody, `{'data': {}}`, 400, "not valid JSON"},
		{jsonBody, `{"data": {"name": NaN}}`, 400, "not valid JSON"},
		{jsonBody, "{\"data\": {\"name\": \"\xff\"}}", 400, "not valid UTF-8"},
		{formBody, "data[name]=%ff", 400, "not valid UTF-8"},
		{jsonBody, nested(30), 400, "nested deeper than 20"},
		{jsonBody, nested(20000), 400, ""},
		{formBody, "data" + strings.Repeat("[a]", 30) + "=x", 400, ""},
		{jsonBody, `{"data": {"name": "` + strings.Repeat("x", 1<<20) + `"}}`, 413, "larger than 1048576 bytes"},
	} {
		got := c.send("full", "POST", "/api/chefs", test.body, "Content-Type", test.kind)
		if got.status != test.status || !strings.Contains(got.Error.Message, test.message) {
			t.Errorf("%s %.60q: %d %s, want %d %s", test.kind, test.body, got.status, got.Error.Message, test.status, test.message)
		}
	}
	if got := c.send("full", "POST", "/api/chefs", "\x1f\x8b", "Content-Type", jsonBody, "Content-Encoding", "gzip"); got.status != 415 {
		t.Errorf("a compressed body: %d", got.status)
	}
}

func TestTheLastOfTwoDataCounts(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	got := c.send("full", "POST", "/api/chefs", `{"data": {"name": "first"}, "data": {"name": "last"}}`)
	if !strings.Contains(got.body, `"name":"last"`) {
		t.Errorf("got %s", got.body)
	}
}

func TestURLLimit(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	if got := c.send("full", "GET", "/api/dishes?x="+strings.Repeat("x", 60_000), ""); got.status != 200 {
		t.Errorf("a long URL: %d", got.status)
	}
	got := c.send("full", "GET", "/api/dishes?x="+strings.Repeat("x", 1<<16), "")
	if got.status != 414 || got.Error.Name != "URITooLongError" || !strings.Contains(got.Error.Message, "65536") {
		t.Errorf("too long a URL: %d %s", got.status, got.body)
	}
}

func TestParametersOfWrites(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Here"}}`).documentID(t)
	one := "/api/restaurants/" + id
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/api/restaurants?locale=fr", `{"data": {"name": "Ici"}}`, 201},
		{"POST", "/api/restaurants?locale=", `{"data": {"name": "Empty"}}`, 201},
		{"POST", "/api/restaurants?locale=zz", `{"data": {"name": "Nowhere"}}`, 400},
		{"POST", "/api/restaurants?locale=*", `{"data": {"name": "Everywhere"}}`, 400},
		{"POST", "/api/restaurants?locale=en&locale=fr", `{"data": {"name": "Both"}}`, 400},
		{"POST", "/api/restaurants?locale[a]=en", `{"data": {"name": "Odd"}}`, 400},
		{"POST", "/api/restaurants?status=later", `{"data": {"name": "Later"}}`, 400},
		{"POST", "/api/restaurants?status=draft", `{"data": {"name": "Draft"}}`, 201},
		{"POST", "/api/categories?locale=zz&status=draft", `{"data": {"name": "Neither"}}`, 201},
		{"PUT", one + "?locale=zz", `{"data": {"name": "Nowhere"}}`, 400},
		{"PUT", one + "?locale=it", `{"data": {"name": "Qui"}}`, 200},
		{"PUT", one + "?populate=zzz", `{"data": {"name": "Written all the same?"}}`, 400},
		{"DELETE", one + "?status=draft", "", 400},
		{"DELETE", one + "?status=published", "", 400},
		{"DELETE", one + "?status=", "", 400},
		{"DELETE", one + "?status=later", "", 400},
		{"DELETE", "/api/homepage?status=published", "", 400},
		{"DELETE", one + "?locale=en&locale=fr", "", 400},
		{"DELETE", one + "?locale=zz", "", 204},
		{"GET", one, "", 200},
		{"DELETE", one + "?locale=*", "", 204},
		{"GET", one, "", 404},
		{"GET", one + "?locale=it", "", 404},
		{"DELETE", "/api/categories/nope?status=draft", "", 204},
	} {
		if got := c.send("full", test.method, test.path, test.body); got.status != test.status {
			t.Errorf("%s %s: %d %s, want %d", test.method, test.path, got.status, got.body, test.status)
		}
	}
}

// A write whose response is not possible is not done.
func TestRefusedQueryWritesNothing(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.send("full", "POST", "/api/chefs?fields=zzz", `{"data": {"name": "Ghost"}}`)
	if got := c.send("full", "GET", "/api/chefs?status=draft", ""); !strings.Contains(got.body, `"data":[]`) {
		t.Errorf("got %s", got.body)
	}
}

func TestAnswerOfAWriteFollowsItsQuery(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	got := c.send("full", "POST", "/api/dishes?fields=price", `{"data": {"name": "Soup", "price": 7.5}}`)
	if got.status != 201 || strings.Contains(got.body, "Soup") || !strings.Contains(got.body, `"price":7.5`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	got = c.send("full", "POST", "/api/dishes", `{"data": {"name": "Stew"}}`, "Strapi-Response-Format", "v4")
	if !strings.Contains(got.body, `"attributes":{`) {
		t.Errorf("the previous format: %s", got.body)
	}
}
