package server_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/auth/people"
	"quire/schema/settings"
	"quire/server/mcp"
)

// privateSite has a picture and a text in a folder below a private one. Dish {shown} uses the
// picture and everybody may read it; dish {draft} uses the text and is a draft.
type privateSite struct {
	*accountSite
	clock         *handClock
	picture, text record // as they were before they were private
	bytes         string // of the picture
	folder        string
	shown, draft  string
}

const privateText = "CANARY of a private text"

func openPrivate(t *testing.T) *privateSite {
	t.Helper()
	clock := &handClock{now: time.Unix(1_900_000_000, 0)}
	s := &privateSite{clock: clock, bytes: photo(t)}
	s.accountSite = openAccountSite(t, os.DirFS("../testdata/site"), options{GraphQL: true, MCP: true, Now: clock.Now, Settings: func(all *settings.Settings) { all.Upload.Pictures = pictureRules(true).Pictures }})
	s.receivePeople()
	s.agents = map[string]*mcp.Agent{}
	s.receive(t, "ada", auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: everyAction}}, Files: []string{"read", "upload", "delete"}})
	s.receive(t, "writer", auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: []string{"read"}}}})
	s.addAgent("agent", auth.AdminRole{Full: true}, people.Limits{Publish: people.Yes, Delete: people.Yes})
	s.tokens["files"] = s.customToken(t, "files", "plugin::upload.content-api.find", "plugin::upload.content-api.findOne")
	s.tokens["dishes"] = s.customToken(t, "dishes", "api::dish.dish.find")
	s.picture, s.text = s.put("photo.png", s.bytes), s.put("plan.txt", privateText)
	outer := s.ok(201, "ada", "POST", "/api/upload/folders", `{"name": "Internal", "private": true}`).text(t, "documentId")
	s.folder = s.ok(201, "ada", "POST", "/api/upload/folders", `{"name": "Pictures", "parent": "`+outer+`"}`).text(t, "documentId")
	s.shown = s.ok(201, "full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "shown", "photo": %d}}`, s.picture.ID)).text(t, "data.documentId")
	s.draft = s.ok(201, "full", "POST", "/api/dishes?status=draft", fmt.Sprintf(`{"data": {"name": "draft", "photo": %d}}`, s.text.ID)).text(t, "data.documentId")
	s.move(s.folder)
	return s
}

// put stores a file.
func (s *privateSite) put(name, content string) record {
	s.t.Helper()
	body, kind := form(s.t, part{"files", name, content})
	return s.send("full", "POST", "/api/upload", body, "Content-Type", kind).records(s.t)[0]
}

// ok sends a request and requires the status.
func (s *privateSite) ok(status int, as, method, path, body string, headers ...string) *answer {
	s.t.Helper()
	a := s.send(as, method, path, body, headers...)
	if a.status != status {
		s.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// move moves both files into a folder, into none if it is empty.
func (s *privateSite) move(to string) {
	s.t.Helper()
	s.ok(204, "ada", "POST", "/api/upload/_move", fmt.Sprintf(`{"files": [%d, %d], "to": %s}`, s.picture.ID, s.text.ID, strings.ReplaceAll(`"`+to+`"`, `""`, "null")))
}

var fileAddress = regexp.MustCompile(`/uploads/[\w.-]+(\?access=[\w.-]+)?`)

// signed returns the signed addresses in a response, by the name of the file in them, and
// requires that others lead to no private file.
func (s *privateSite) signed(a *answer) map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for _, m := range fileAddress.FindAllStringSubmatch(a.body, -1) {
		if m[1] == "" {
			s.t.Errorf("%s is not signed in %s", m[0], a.body)
		}
		found[strings.TrimSuffix(m[0], m[1])] = m[0]
	}
	return found
}

// everyCaller are all kinds of callers.
var everyCaller = []string{"", "full", "files", "dishes", "ada", "writer"}

// Nobody gets a byte of a private file without a signature, on whatever way they ask, and none
// of the responses differs from that about a file that does not exist.
func TestPrivateFilesAreClosed(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	tag := `"` + strings.TrimPrefix(s.text.URL, "/uploads/") + "-18\""
	for _, as := range everyCaller {
		for _, url := range []string{s.text.URL, s.picture.URL, s.picture.Formats["thumbnail"].URL, s.picture.Formats["small"].URL} {
			for _, query := range []string{"", "?access=", "?access=1900000900.", "?access=1900000900.AAAAAAAAAAAAAAAAAAAAAA", "?w=320", "?w=320&format=auto", "?w=77", "?w=77&s=x", "?s=x", "?w=0", "?v=1"} {
				for _, headers := range [][]string{nil, {"Range", "bytes=0-5"}, {"If-None-Match", tag}, {"If-None-Match", "*"}, {"If-Modified-Since", "Fri, 31 Dec 2060 23:59:59 GMT"}, {"Accept", "image/webp"}} {
					for _, method := range []string{"GET", "HEAD"} {
						a, other := s.send(as, method, url+query, "", headers...), s.send(as, method, "/uploads/none_0123456789.png"+query, "", headers...)
						a.header.Del("X-Request-Id")
						other.header.Del("X-Request-Id")
						if a.status < 400 || a.status != other.status || a.body != other.body || fmt.Sprint(a.header) != fmt.Sprint(other.header) {
							t.Fatalf("%q: %s %s%s %v: %d %.200s %v\nwithout such a file: %d %.200s %v", as, method, url, query, headers, a.status, a.body, a.header, other.status, other.body, other.header)
						}
					}
				}
			}
		}
	}
}

// Whoever sees a file in a response gets addresses that open it and its formats, on every way,
// and nobody else does.
func TestWhoGetsAddressesOfPrivateFiles(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	const all, shown = "all", "shown"
	for _, way := range []struct {
		path string
		sees map[string]string // none for others
	}{
		{"/api/dishes?populate=photo", map[string]string{"": shown, "full": shown, "dishes": shown, "ada": shown, "writer": shown}},
		{"/api/dishes?populate=photo&fields=name&filters[name]=shown", map[string]string{"": shown, "full": shown, "dishes": shown, "ada": shown, "writer": shown}},
		{"/api/dishes?populate=photo&status=draft", map[string]string{"full": all, "ada": all, "writer": all}},
		{"/api/dishes/{shown}?populate=*", map[string]string{"": shown, "full": shown, "ada": shown, "writer": shown}},
		{"/api/_changes?types=api::dish.dish&populate=photo", map[string]string{"": shown, "full": shown, "dishes": shown, "ada": shown, "writer": shown}},
		{"/api/_changes?populate=*", map[string]string{"": shown, "full": all, "files": all, "dishes": shown, "ada": all, "writer": shown}},
		{"/api/_changes", map[string]string{"full": all, "files": all, "ada": all}},
		{"/graphql?query={dishes{name photo{name url formats}}}", map[string]string{"": shown, "full": shown, "dishes": shown}},
		{"/api/dishes/_search?q=shown&populate=photo", map[string]string{"": shown, "full": shown, "dishes": shown, "ada": shown, "writer": shown}},
		{"/api/_search?q=shown&populate=*", map[string]string{"": shown, "full": shown, "dishes": shown, "ada": shown, "writer": shown}},
		{"/api/upload/files", map[string]string{"full": all, "files": all, "ada": all}},
		{"/api/upload/files/page?fields=formats,url", map[string]string{"full": all, "files": all, "ada": all}},
		{fmt.Sprintf("/api/upload/files/%d", s.picture.ID), map[string]string{"full": shown, "files": shown, "ada": shown}},
	} {
		for _, as := range everyCaller {
			path := strings.ReplaceAll(way.path, "{shown}", s.shown)
			if strings.HasPrefix(path, "/graphql") && s.people[as] != nil {
				continue
			}
			a := s.send(as, "GET", path, "", "Strapi-Response-Format", []string{"", "v4"}[len(as)%2])
			found := s.signed(a)
			want := map[string]int{all: 4, shown: 3, "": 0}[way.sees[as]]
			if len(found) != want {
				t.Errorf("%q: %s shows %d addresses, not %d: %d %s", as, path, len(found), want, a.status, a.body)
			}
			for url, address := range found {
				if got := s.send("", "GET", address, ""); got.status != 200 || url == s.picture.URL && got.body != s.bytes || url == s.text.URL && got.body != privateText {
					t.Errorf("%q: %s from %s: %d %.200s", as, address, path, got.status, got.body)
				}
			}
		}
	}
	stream := s.hear(t, s.listenTo(t, false), "", "?include=entry&populate=*")
	s.ok(200, "full", "PUT", "/api/dishes/"+s.shown, fmt.Sprintf(`{"data": {"price": 2, "photo": %d}}`, s.picture.ID))
	if m := stream.next(); len(s.signed(&answer{body: m.data})) != 3 {
		t.Errorf("a stream says %s", m.data)
	}
	if text := s.did("agent", "files", `{"action": "look", "id": %d}`, s.picture.ID); !strings.Contains(text, "?access=") {
		t.Errorf("an assistant gets %s", text)
	}
}

// An address opens one file, until it expires, and no part of it can be changed.
func TestAddressesOfPrivateFiles(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	found := s.signed(s.ok(200, "full", "GET", "/api/upload/files", ""))
	address := found[s.text.URL]
	url, access, _ := strings.Cut(address, "?access=")
	expires, signature, _ := strings.Cut(access, ".")
	if expires != "1900000800" { // the last third of 900 seconds began 100 seconds ago
		t.Errorf("it expires at %s", expires)
	}
	_, other, _ := strings.Cut(found[s.picture.URL], "?access=")
	_, format, _ := strings.Cut(found[s.picture.Formats["small"].URL], "?access=")
	for _, changed := range []string{
		url + "?access=" + other, url + "?access=" + format, s.picture.URL + "?access=" + format, s.picture.Formats["thumbnail"].URL + "?access=" + format, s.picture.Formats["small"].URL + "?access=" + other,
		url + "?access=1900000801." + signature, url + "?access=01900000800." + signature, url + "?access=+1900000800." + signature, url + "?access=." + signature, url + "?access=" + signature,
		url + "?access=1900000800." + signature[:len(signature)-1], url + "?access=1900000800." + signature + "A", url + "?access=1900000800." + signature + "=", url + "?access=1900000800." + swapCase(signature), url + "?access=1900000800", url + "?access=" + access + "%0A",
		url + "?access=x&access=" + access, url + "?Access=" + access, strings.Replace(url, "/uploads/", "/uploads/./", 1) + "?access=" + access,
	} {
		if a := s.send("full", "GET", changed, ""); a.status != 404 {
			t.Errorf("%s: %d %.100s", changed, a.status, a.body)
		}
	}
	a := s.ok(206, "", "GET", address, "", "Range", "bytes=0-5")
	if a.body != "CANARY" || a.header.Get("Cache-Control") != "private, max-age=60" {
		t.Errorf("%s, %s", a.body, a.header)
	}
	s.ok(304, "", "GET", address, "", "If-None-Match", a.header.Get("ETag"))
	picture := found[s.picture.URL] + "&w=320"
	if a := s.ok(200, "", "GET", picture, ""); shape(t, a) != "png 320×213" || a.header.Get("Cache-Control") != "private, max-age=60" {
		t.Errorf("a picture of it: %s", a.header)
	}
	s.ok(400, "", "GET", found[s.picture.URL]+"&w=77", "")
	s.clock.advance(799 * time.Second)
	if a := s.ok(200, "", "GET", address, ""); a.header.Get("Cache-Control") != "private, max-age=1" {
		t.Errorf("in its last second: %s", a.header)
	}
	s.ok(200, "", "GET", picture, "")
	s.clock.advance(time.Second)
	s.ok(404, "", "GET", address, "")
	s.ok(404, "", "GET", picture, "")
	s.ok(404, "", "GET", address, "", "If-None-Match", a.header.Get("ETag"))
}

func swapCase(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}

// A signature for a picture of any size opens no private file: it needs the other one, too.
func TestSignedPicturesOfPrivateFiles(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	a := s.ok(200, "full", "POST", "/api/upload/files/"+s.picture.DocumentID+"/pictures", `{"pictures": ["w=111"], "expiresIn": 30}`)
	address := a.text(t, "urls.0")
	s.ok(404, "", "GET", address, "")
	_, access, _ := strings.Cut(s.signed(s.ok(200, "", "GET", "/api/dishes?populate=photo", ""))[s.picture.URL], "?")
	if a := s.ok(200, "", "GET", address+"&"+access, ""); shape(t, a) != "png 111×74" || a.header.Get("Cache-Control") != "private, max-age=30" {
		t.Errorf("%s", a.header)
	}
}

// Files become private and public with their folders, at once, and so do the responses that
// callers and caches have.
func TestMovingPrivateFiles(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	const list = "/api/dishes?populate=photo"
	tag := func() string { return s.ok(200, "", "GET", list, "").header.Get("ETag") }
	closed := func(is bool) {
		t.Helper()
		if a := s.send("", "GET", s.picture.URL, ""); (a.status == 404) != is {
			t.Errorf("without a signature: %d", a.status)
		}
		for range 3 { // the third comes from the cache
			if a := s.ok(200, "", "GET", list, ""); strings.Contains(a.body, "access=") != is {
				t.Errorf("%s", a.body)
			}
		}
	}
	closed(true)
	before := tag()
	s.move("")
	closed(false)
	s.ok(200, "", "GET", list, "", "If-None-Match", before)
	s.move(s.folder)
	closed(true)
	outer := s.ok(200, "ada", "GET", "/api/upload/folders?filters[name]=Internal", "").text(t, "0.documentId")
	before = tag()
	s.ok(200, "ada", "PUT", "/api/upload/folders/"+outer, `{"private": false}`)
	closed(false)
	s.ok(200, "", "GET", list, "", "If-None-Match", before)
	before = tag()
	s.ok(200, "ada", "PUT", "/api/upload/folders/"+s.folder, `{"private": true}`)
	closed(true)
	s.ok(200, "", "GET", list, "", "If-None-Match", before)
	s.ok(204, "ada", "POST", "/api/upload/_move", `{"folders": ["`+s.folder+`"], "to": null}`)
	closed(true)
	s.ok(400, "ada", "PUT", "/api/upload/folders/"+s.folder, `{"private": "yes"}`)
	s.ok(200, "ada", "PUT", "/api/upload/folders/"+s.folder, `{"name": "Other"}`)
	closed(true)
}

// A response, its tag and the cache of responses stay the same for a third of the life of the
// addresses, and have others after that.
func TestCachesOfPrivateAddresses(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	s.site.Settings.Cache = map[string]time.Duration{"api::dish.dish": time.Hour}
	for _, path := range []string{"/api/dishes?populate=photo", "/api/dishes/" + s.shown + "?populate=photo", "/graphql?query={dishes{photo{url}}}", "/api/upload/files"} {
		as := ""
		if strings.HasPrefix(path, "/api/upload") {
			as = "full"
		}
		first := s.ok(200, as, "GET", path, "")
		for range 40 {
			a := s.ok(200, as, "GET", path, "")
			for url, address := range s.signed(a) {
				s.ok(200, "", "HEAD", address, "")
				if url == s.text.URL && a.header.Get("ETag") == first.header.Get("ETag") != (a.body == first.body) {
					t.Errorf("%s: %s has the tag of %s", path, a.body, first.body)
				}
			}
			if age := a.header.Get("Cache-Control"); strings.Contains(age, "max-age") {
				t.Errorf("%s: %s", path, age)
			}
			s.clock.advance(31 * time.Second)
		}
		again := s.send(as, "GET", path, "", "If-None-Match", first.header.Get("ETag"))
		if again.status != http.StatusOK || again.body == first.body {
			t.Errorf("%s: after a while %d %s", path, again.status, again.body)
		}
	}
	s.ok(403, "", "GET", "/api/upload/files", "") // whatever others were sent
}

// A file whose name has what looks like an address does not get one signed.
func TestNamesThatLookLikeAddresses(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	for _, name := range []string{`x","url":"` + s.text.URL, `"url":"` + s.text.URL + `"`, s.text.URL, `\","url":"` + s.text.URL} {
		one := s.put("photo.png", s.bytes)
		body, kind := form(t, part{"files", "b.png", s.bytes}, part{"fileInfo", "", fmt.Sprintf(`{"name": %q, "folder": %q}`, name, s.folder)})
		a := s.ok(200, "full", "POST", "/api/upload?id="+one.DocumentID, body, "Content-Type", kind)
		if strings.Contains(a.body, s.text.URL+"?access=") || !strings.Contains(a.body, one.URL+"?access=") {
			t.Errorf("%q: %s", name, a.body)
		}
	}
}
