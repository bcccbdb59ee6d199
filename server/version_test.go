package server_test

import (
	"strings"
	"testing"
)

const versionHeader = "Quire-Version"

func TestWritesForOneVersion(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	made := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	dish := "/api/dishes/" + made.documentID(t)
	seen := made.header.Get(versionHeader)
	tag := c.send("full", "GET", dish, "").header.Get("ETag")
	if seen == "" || !strings.HasPrefix(tag, `"`+seen+`.`) {
		t.Fatalf("version %q, tag %q", seen, tag)
	}
	changed := c.send("full", "PUT", dish, `{"data": {"name": "Broth"}}`)
	now := changed.header.Get(versionHeader)
	for _, test := range []struct {
		name, method, path, header, value string
		status                            int
	}{
		{"the version before", "PUT", dish, "If-Match", seen, 412},
		{"the tag before", "PUT", dish, "If-Match", tag, 412},
		{"neither of two", "PUT", dish, "If-Match", seen + `, "1"`, 412},
		{"a delete of the version before", "DELETE", dish, "If-Match", `"` + seen + `"`, 412},
		{"no version", "PUT", dish, "If-Match", "soup", 412},
		{"a tag of another server", "PUT", dish, "If-Match", `"33a64df551425fcc"`, 412},
		{"a weak one", "PUT", dish, "If-Match", `W/"33a64df551425fcc"`, 412},
		{"a list of them", "PUT", dish, "If-Match", `W/"a", "b" ,"c,d"`, 412},
		{"this version within a tag", "PUT", dish, "If-Match", `"x,` + now + `,y"`, 412},
		{"this version without the end of its quotes", "PUT", dish, "If-Match", `"` + now, 412},
		{"this version with something after its quotes", "PUT", dish, "If-Match", `"` + now + `"x`, 412},
		{"this version with a sign", "PUT", dish, "If-Match", "+" + now, 412},
		{"an empty tag", "PUT", dish, "If-Match", `""`, 412},
		{"nothing", "PUT", dish, "If-Match", "", 412},
		{"a version too large", "PUT", dish, "If-Match", "18446744073709551616", 412},
		{"an unknown tag for a delete", "DELETE", dish, "If-Match", `"soup"`, 412},
		{"an unknown tag for an action", "POST", dish + "/actions/duplicate", "If-Match", `"soup"`, 412},
		{"a star in a list", "PUT", dish, "If-Match", `*, "soup"`, 412},
		{"no document, where there is one", "PUT", dish, "If-None-Match", "*", 412},
		{"no document, for a delete", "DELETE", dish, "If-None-Match", " * ", 412},
		{"no document, for an action", "POST", dish + "/actions/duplicate", "If-None-Match", "*", 412},
		{"not this version", "PUT", dish, "If-None-Match", `"soup", W/"` + now + `"`, 412},
		{"too many versions", "PUT", dish, "If-Match", strings.Repeat("1,", 101), 400},
		{"some document, where there is none", "PUT", "/api/homepage", "If-Match", "*", 412},
		{"a version of a document to come", "PUT", "/api/homepage", "If-Match", "1", 412},
		{"the first write of a single type", "PUT", "/api/homepage", "If-None-Match", "*", 200},
		{"its second write", "PUT", "/api/homepage", "If-None-Match", "*", 412},
		{"some document", "PUT", "/api/homepage", "If-Match", "*", 200},
		{"a document that is not there", "PUT", "/api/dishes/none", "If-Match", now, 404},
		{"this version in a list with others", "PUT", dish, "If-Match", `"soup" , ` + now, 200},
	} {
		body := `{"data": {"name": "Stew"}}`
		if test.path == "/api/homepage" {
			body = `{"data": {"title": "Home"}}`
		}
		if test.method != "PUT" {
			body = ""
		}
		a := c.send("full", test.method, test.path, body, test.header, test.value)
		if a.status != test.status {
			t.Errorf("%s: %d %s", test.name, a.status, a.body)
		}
		details := `{"version":` + now + `}`
		if strings.Contains(test.name, "before") || test.name == "neither of two" {
			details = `{"version":` + now + `,"paths":["name"]}`
		}
		if test.status == 412 && strings.HasPrefix(test.path, dish) && string(a.Error.Details) != details {
			t.Errorf("%s: the details are %s, want %s", test.name, a.Error.Details, details)
		}
		if test.status == 400 && !strings.Contains(a.Error.Message, test.header) {
			t.Errorf("%s: %s", test.name, a.Error.Message)
		}
	}
	for _, other := range []string{`"soup"`, `W/"` + seen + `"`, ""} {
		if a := c.send("full", "PUT", dish, `{"data": {"name": "Stew"}}`, "If-None-Match", other); a.status != 200 {
			t.Errorf("none of %q: %d %s", other, a.status, a.body)
		}
	}
	if a := c.send("full", "PUT", "/api/homepage", `{"data": {"title": "Home"}}`, "If-None-Match", "*", "If-Match", now); a.status != 400 {
		t.Errorf("a write for a version and for none: %d %s", a.status, a.body)
	}
	tag = c.send("full", "GET", dish, "").header.Get("ETag")
	if a := c.send("full", "DELETE", dish, "", "If-Match", `W/"0", `+tag); a.status != 204 {
		t.Errorf("the delete of a tag: %d %s", a.status, a.body)
	}
}

// The tag of one document changes only with that document.
func TestTagOfADocument(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	soup := "/api/dishes/" + c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	stew := "/api/dishes/" + c.send("full", "POST", "/api/dishes", `{"data": {"name": "Stew"}}`).documentID(t)
	tag := c.send("full", "GET", soup, "").header.Get("ETag")
	c.send("full", "PUT", stew, `{"data": {"name": "Ragout"}}`)
	if a := c.send("full", "GET", soup, "", held(tag)...); a.status != 304 || a.header.Get(versionHeader) == "" {
		t.Errorf("after another document has changed: %d, %v", a.status, a.header)
	}
	c.send("full", "PUT", soup, `{"data": {"name": "Broth"}}`)
	if a := c.send("full", "GET", soup, "", held(tag)...); a.status != 200 || !strings.Contains(a.body, "Broth") {
		t.Errorf("after it has changed: %d %s", a.status, a.body)
	}
}

// If a response shows or depends on other documents of the same type, its tag changes
// with them.
func TestTagOfADocumentThatShowsOthersOfItsType(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	near := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Near"}}`).documentID(t)
	one := "/api/restaurants/" + c.send("full", "POST", "/api/restaurants", `{"data": {"name": "One", "nearby": ["`+near+`"]}}`).documentID(t)
	for _, query := range []string{"?populate=nearby", "?populate[nearby][fields]=name", "?filters[nearby][name][$startsWith]=Near", "?populate[*]=1&fields=name"} {
		before := c.send("full", "GET", one+query, "")
		c.send("full", "PUT", "/api/restaurants/"+near, `{"data": {"name": "Far"}}`)
		if a := c.send("full", "GET", one+query, "", held(before.header.Get("ETag"))...); before.status != 200 || a.status == 304 {
			t.Errorf("%s: %d, and %d after the other has changed", query, before.status, a.status)
		}
		c.send("full", "PUT", "/api/restaurants/"+near, `{"data": {"name": "Near"}}`)
	}
}

// A condition that a write would ignore is refused, so that nobody relies on it.
func TestConditionsOnWhatHasNoVersion(t *testing.T) {
	c := newClient(t)
	made := c.send("full", "POST", "/api/users", `{"username": "ada", "email": "ada@example.org", "password": "secret-1", "role": 1}`)
	if made.status != 201 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	dish := "/api/dishes/" + c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, write := range [][3]string{
		{"PUT", "/api/users/1", `{"username": "eve"}`},
		{"DELETE", "/api/users/1", ""},
		{"DELETE", "/api/upload/files/1", ""},
		{"POST", "/api/_releases", `{"name": "Spring"}`},
		{"POST", "/api/_batch", `{"requests": [{"method": "DELETE", "url": "` + dish + `"}]}`},
		{"POST", dish + "/actions/preview-link", ""},
	} {
		for _, condition := range []string{"If-Match", "If-None-Match"} {
			a := c.send("full", write[0], write[1], write[2], condition, `"soup"`)
			if a.status != 400 || !strings.HasPrefix(a.Error.Message, condition) {
				t.Errorf("%s %s with %s: %d %s", write[0], write[1], condition, a.status, a.body)
			}
		}
	}
	if a := c.send("full", "GET", "/api/users/1", ""); !strings.Contains(string(a.body), `"ada"`) {
		t.Errorf("the user is now %d %s", a.status, a.body)
	}
	if a := c.send("full", "GET", dish, ""); a.status != 200 {
		t.Errorf("the dish is now %d %s", a.status, a.body)
	}
}

// Scripts of other origins can read the version, also if a cache returns what others have
// asked for. All others get a header that is small enough to be a fast kind of map.
func TestVersionIsExposed(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	dish := "/api/dishes/" + c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	const exposed = "Access-Control-Expose-Headers"
	script, program := c.send("full", "GET", dish, "", "Origin", "https://front.example"), c.send("full", "GET", dish, "")
	if script.header.Get(exposed) != versionHeader || script.header.Get(versionHeader) == "" {
		t.Errorf("a script gets %v", script.header)
	}
	if program.header.Get(exposed) != "" || program.header.Get(versionHeader) == "" || len(program.header) > 8+2 { // net/http adds two
		t.Errorf("a program gets %d headers: %v", len(program.header), program.header)
	}
	kept := c.send("full", "GET", dish, "", "Origin", "https://front.example", "If-None-Match", program.header.Get("ETag"))
	if kept.status != 304 || kept.header.Get(exposed) != versionHeader {
		t.Errorf("a script whose browser has the response gets %d %v", kept.status, kept.header)
	}
}
