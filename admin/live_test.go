package admin_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/admin"
	"quire/auth/people"
)

// sentEvent is an event of a stream.
type sentEvent struct{ name, data string }

// ear listens to a stream.
type ear struct {
	t      testing.TB
	name   string // of the stream
	events chan sentEvent
	close  func()
}

// listen opens a stream at a server that serves the admin.
func (v *client) live(at *httptest.Server, query string) *ear {
	v.t.Helper()
	e := v.hear(at, "/live?"+query)
	var begun struct{ Stream string }
	check(v.t, json.Unmarshal([]byte(e.next("stream")), &begun))
	e.name = begun.Stream
	return e
}

// hear opens the stream of a path.
func (v *client) hear(at *httptest.Server, path string) *ear {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), "GET", at.URL+admin.APIPath+path, nil)
	check(v.t, err)
	r.Header.Set("Cookie", "quire_admin="+v.cookie)
	r.Header.Set("Accept", "text/event-stream")
	answer, err := at.Client().Do(r)
	check(v.t, err)
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		v.t.Fatalf("the stream is answered %d %v", answer.StatusCode, answer.Header)
	}
	e := &ear{t: v.t, events: make(chan sentEvent), close: func() { answer.Body.Close() }}
	v.t.Cleanup(e.close)
	go func() {
		defer close(e.events)
		one := sentEvent{}
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			switch key, value, _ := strings.Cut(lines.Text(), ": "); key {
			case "event":
				one.name = value
			case "data":
				one.data = value
			case "":
				if one.data != "" {
					select {
					case e.events <- one:
					case <-v.t.Context().Done():
						return
					}
				}
				one = sentEvent{}
			}
		}
	}()
	return e
}

// next is the data of the next event, which must have that name; empty at the end.
func (e *ear) next(name string) string {
	e.t.Helper()
	one, more := <-e.events
	if more && one.name != name {
		e.t.Fatalf("heard %s %s instead of %s", one.name, one.data, name)
	}
	return one.data
}

// people waits until so many have the document open, and returns who they are and where
// they type.
func (e *ear) people(n int) []string {
	e.t.Helper()
	for {
		var heard struct {
			People []struct {
				Account struct{ ID, Name string }
				Device  string
				Editing []string
			}
		}
		check(e.t, json.Unmarshal([]byte(e.next("presence")), &heard))
		if len(heard.People) != n {
			continue
		}
		var people []string
		for _, p := range heard.People {
			people = append(people, fmt.Sprint(p.Account.Name, " ", p.Device, " ", p.Editing))
		}
		slices.Sort(people)
		return people
	}
}

func (o *testAdmin) online() *httptest.Server {
	s := httptest.NewServer(o.handler)
	o.t.Cleanup(s.Close)
	return s
}

func TestPresence(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	at, v := o.online(), o.owner()
	_, bob := v.addAccount("bob", "editor")
	id := v.make("restaurants", `{"name":"Blue Door"}`)
	query := "uid=api::restaurant.restaurant&documentId=" + id
	ana := v.live(at, query+"&device=desk")
	if got := ana.people(1); got[0] != "Ana desk []" {
		t.Errorf("alone: %v", got)
	}
	other := v.live(at, "device=elsewhere") // hears of changes alone
	second := bob.live(at, query+"&locale=fr&device=phone")
	if got := fmt.Sprint(ana.people(2)); got != "[Ana desk [] bob phone []]" {
		t.Errorf("two: %s", got)
	}
	second.people(2)
	v.want(404, "PUT", "/live/"+second.name, `{"editing":["name"]}`) // of another account
	v.want(404, "PUT", "/live/none", `{"editing":["name"]}`)
	bob.want(204, "PUT", "/live/"+second.name, `{"editing":["name","sections.0.text"]}`)
	if got := fmt.Sprint(ana.people(2)); got != "[Ana desk [] bob phone [name sections.0.text]]" {
		t.Errorf("typing: %s", got)
	}
	bob.want(400, "PUT", "/live/"+second.name, `{"editing":["`+strings.Repeat("x", 201)+`"]}`)
	bob.want(400, "PUT", "/live/"+second.name, `{"editing":["1","2","3","4","5","6","7","8","9"]}`)
	second.close()
	if got := fmt.Sprint(ana.people(1)); got != "[Ana desk []]" {
		t.Errorf("alone again: %s", got)
	}
	v.want(200, "PUT", "/content/restaurants/"+id+"?status=draft", `{"data":{"name":"Red Door"}}`)
	for _, e := range []*ear{ana, other} {
		if data := e.next("change"); !strings.Contains(data, `"action":"update"`) || !strings.Contains(data, id) || !strings.Contains(data, `"name":"Ana"`) {
			t.Errorf("heard %s", data)
		}
	}
}

// A stream sends an account only what it may see.
func TestWhatAStreamTells(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	at, v := o.online(), o.owner()
	chefs := v.reader("chefs", "api::chef.chef", "")
	dish := v.make("dishes", `{"name":"Soup"}`)
	for query, status := range map[string]int{
		"uid=api::dish.dish&documentId=" + dish: 404, "uid=api::none.none&documentId=x": 404, "uid=api::chef.chef&documentId=none": 404,
		"uid=api::chef.chef": 404, "uid=api::chef.chef&documentId=_count": 404, "uid=api::chef.chef&documentId=x/history": 404, "uid=api::chef.chef&documentId=..": 404, "uid=api::chef.chef&documentId=none&locale=xx": 400, "device=" + strings.Repeat("x", 256): 400, "device=a%0Ab": 400,
	} {
		if a := chefs.ask("GET", "/live?"+query, ""); a.status != status {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	o.client().want(401, "GET", "/live", "")
	o.client().want(401, "PUT", "/live/x", `{"editing":[]}`)
	e := chefs.live(at, "uid=api::chef.chef&documentId=new-0123456789abcdef")
	v.make("dishes?status=draft", `{"name":"Stew"}`)
	v.make("chefs?status=draft", `{"name":"Ada"}`)
	if data := e.next("change"); !strings.Contains(data, `"api::chef.chef"`) {
		t.Errorf("heard %s", data)
	}
}

// A stream ends with the session, and with the rights of the account.
func TestStreamsEndWithTheSession(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	at, v := o.online(), o.owner()
	id, bob := v.addAccount("bob", "editor")
	for name, ends := range map[string]func(){
		"by signing out":   func() { bob.want(204, "DELETE", "/session", "") },
		"by another role":  func() { v.want(200, "PUT", "/accounts/"+id, `{"role":"reader"}`) },
		"by lapse of time": func() { o.clock.pass(people.Idle + time.Minute) },
	} {
		bob.want(200, "POST", "/session", `{"email":"bob@example.org","password":"`+secret+`"}`)
		e := bob.live(at, "")
		ends()
		if data := e.next(""); data != "" {
			t.Errorf("%s: it goes on with %s", name, data)
		}
		v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
		v.want(200, "PUT", "/accounts/"+id, `{"role":"editor"}`)
	}
}

// Who has a document open that leaves the reach of their role is no longer there, and comes
// back when it is in the reach again. One version in the reach is enough.
func TestPresenceEndsWithTheReachOfARole(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	at, query, path := n.owner.online(), "uid=api::restaurant.restaurant&documentId="+n.harbour, "/content/restaurants/"+n.harbour
	owner, nora := n.owner.live(at, query), n.nora.live(at, query)
	owner.untilPresence(`"name":"nora"`)
	n.owner.want(200, "PUT", path+"?status=draft", `{"data":{"tagline":"south"}}`)
	n.owner.want(204, "PUT", "/live/"+owner.name, `{"editing":["name"]}`)
	nora.untilPresence(`"editing":["name"]`)
	n.owner.want(200, "PUT", path, `{"data":{"name":"SECRET","tagline":"south"}}`)
	for one := range nora.events { // until the stream ends
		if strings.Contains(one.data, "SECRET") {
			t.Errorf("nora hears %v", one)
		}
	}
	for strings.Contains(owner.untilPresence(`"people"`), "nora") {
	}
	n.nora.want(404, "GET", "/live?"+query, "")
	n.owner.want(200, "PUT", path, `{"data":{"tagline":"north"}}`)
	n.nora.live(at, query).untilPresence(`"name":"nora"`)

	rights := `{"types":{"api::homepage.homepage":{"actions":["read"],"locales":null,"where":[{"attribute":"title","is":"ours"}]}},"files":[],"releases":false,"site":[]}`
	_, max := n.owner.addAccount("max", n.owner.want(201, "POST", "/roles", `{"name":"Home","rights":`+rights+`}`).text("data.id"))
	const single = "uid=api::homepage.homepage"
	max.live(at, single).untilPresence(`"name":"max"`) // nobody has written it yet
	n.owner.want(200, "PUT", "/content/homepage", `{"data":{"title":"theirs"}}`)
	max.want(404, "GET", "/live?"+single, "")
	n.owner.want(200, "PUT", "/content/homepage", `{"data":{"title":"ours"}}`)
	max.live(at, single).untilPresence(`"name":"max"`)
}

// untilPresence waits for an event of presence that has a text, and returns it.
func (e *ear) untilPresence(text string) string {
	e.t.Helper()
	for one := range e.events {
		if one.name == "presence" && strings.Contains(one.data, text) {
			return one.data
		}
	}
	e.t.Fatalf("the stream ends without %s", text)
	return ""
}
