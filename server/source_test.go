package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"quire/documents"
)

// marked finds the marks in a text, as @vercel/stega 0.1.2 decodes them.
var marked = regexp.MustCompile("\u200b{4}[\u200b\u200c\u200d\ufeff]+")

func decodeMark(t *testing.T, mark string) (object map[string]string) {
	t.Helper()
	digits := []rune(mark)[4:]
	var text []byte
	for i := 0; i+4 <= len(digits); i += 4 {
		b := 0
		for _, r := range digits[i : i+4] {
			b = b*4 + strings.IndexRune("\u200b\u200c\u200d\ufeff", r)/3
		}
		text = append(text, byte(b))
	}
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return object
}

// sources are the paths of the marks in a response, each with the parameters that belong to it.
func sources(t *testing.T, body string) map[string]url.Values {
	t.Helper()
	found := map[string]url.Values{}
	for _, mark := range marked.FindAllString(body, -1) {
		values, err := url.ParseQuery(decodeMark(t, mark)["strapiSource"])
		check(t, err)
		found[values.Get("path")] = values
	}
	return found
}

// withTexts opens previews of a restaurant that has texts of all kinds.
func withTexts(t *testing.T) (s *previewSite, token string) {
	s = openPreviews(t, restaurantAddress)
	s.put("/api/restaurants/{r}?status=draft", `{"tagline": "Good \"soup\"\nand bread", "story": "# Once", "chef": "{chef}",
		"description": [{"type": "paragraph", "children": [{"type": "text", "text": "One "}, {"type": "text", "text": "two", "bold": true}]},
			{"type": "code", "children": [{"type": "text", "text": "three"}]}, {"type": "list", "format": "ordered", "children": [{"type": "list-item", "children": [{"type": "text", "text": "four"}]}]}]}`)
	return s, s.link("full", "/api/restaurants/{r}", "")
}

func TestTextsOfAPreviewSayWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	s, token := withTexts(t)
	const path = "/api/restaurants/{r}?populate=*"
	plain := s.show(token, "GET", path, "")
	for _, header := range []string{"X-Quire-Source: 1", "strapi-encode-source-maps: true"} {
		name, value, _ := strings.Cut(header, ": ")
		a := s.show(token, "GET", path, "", name, value)
		if clean := marked.ReplaceAllString(a.body, ""); clean != plain.body || !json.Valid([]byte(a.body)) {
			t.Errorf("%s changes more than it adds:\n%s\n%s", header, clean, plain.body)
		}
		found := sources(t, a.body)
		for at, want := range map[string]string{
			"name":        "documentId={r}&kind=collectionType&locale=en&model=api%3A%3Arestaurant.restaurant&path=name&type=string",
			"tagline":     "documentId={r}&kind=collectionType&locale=en&model=api%3A%3Arestaurant.restaurant&path=tagline&type=text",
			"story":       "documentId={r}&kind=collectionType&locale=en&model=api%3A%3Arestaurant.restaurant&path=story&type=richtext",
			"description": "documentId={r}&fieldPath=description&kind=collectionType&locale=en&model=api%3A%3Arestaurant.restaurant&path=description&type=blocks",
			"chef.name":   "documentId={r}&kind=collectionType&locale=en&model=api%3A%3Achef.chef&path=chef.name&type=string",
		} {
			if got := found[at].Encode(); got != s.named(want) {
				t.Errorf("%s at %s: %s, want %s", header, at, got, s.named(want))
			}
		}
		if len(found["slug"]) > 0 || strings.Count(a.body, "\u200b\u200b\u200b\u200b") < 7 || marked.MatchString(a.body[strings.Index(a.body, "three"):strings.Index(a.body, "four")]) {
			t.Errorf("%s marks what programs read: %v", header, a.body)
		}
		if list := s.show(token, "GET", "/api/restaurants?fields=name", "", name, value); sources(t, list.body)["name"].Get("documentId") != s.names["r"] {
			t.Errorf("%s on a list: %s", header, list.body)
		}
	}
	// What the library of Vercel makes of the same object, as code points.
	a := s.show(token, "GET", "/api/restaurants/{r}?fields=name", "", "X-Quire-Source", "1")
	if begin := fmt.Sprintf("%x", []rune(a.body[strings.Index(a.body, "Draft")+5:])[:24]); begin != "[200b 200b 200b 200b 200c feff 200d feff 200b 200d 200b 200d 200c feff 200b feff 200c feff 200c 200b 200c feff 200b 200d]" {
		t.Errorf("the mark begins %s", begin)
	}
}

// Marks need the token of a preview: without one, the header does nothing.
func TestNobodyElseGetsMarks(t *testing.T) {
	t.Parallel()
	s, token := withTexts(t)
	s.put("/api/restaurants/{r}", `{"name": "Public", "slug": "public"}`)
	for _, as := range []string{"", "full"} {
		plain := s.send(as, "GET", s.named("/api/restaurants/{r}"), "")
		a := s.send(as, "GET", s.named("/api/restaurants/{r}"), "", "X-Quire-Source", "1", "strapi-encode-source-maps", "true")
		if a.body != plain.body || a.header.Get("ETag") != plain.header.Get("ETag") {
			t.Errorf("%q: %s, without the header %s", as, a.body, plain.body)
		}
	}
	for _, headers := range [][]string{{"X-Quire-Source", "0"}, {"strapi-encode-source-maps", "false"}, {"X-Quire-Source", "1", "Strapi-Response-Format", "v4"}} {
		if a := s.show(token, "GET", "/api/restaurants/{r}", "", headers...); a.status != 200 || marked.MatchString(a.body) {
			t.Errorf("%v: %d %s", headers, a.status, a.body)
		}
	}
}

func TestMarksAreBounded(t *testing.T) {
	t.Parallel()
	s, _ := withTexts(t)
	block := `{"type": "paragraph", "children": [{"type": "text", "text": "x y"}]}`
	s.put("/api/restaurants/{r}?status=draft", `{"description": [`+strings.Repeat(block+",", 3999)+block+`]}`)
	token := s.link("full", "/api/restaurants/{r}", "")
	plain := s.show(token, "GET", "/api/restaurants/{r}", "")
	a := s.show(token, "GET", "/api/restaurants/{r}", "", "X-Quire-Source", "1")
	if added := len(a.body) - len(plain.body); a.status != 200 || added > documents.MostMarkBytes || added < documents.MostMarkBytes/2 {
		t.Errorf("%d: marks add %d bytes, the most is %d", a.status, added, documents.MostMarkBytes)
	}
	if marked.ReplaceAllString(a.body, "") != plain.body {
		t.Error("more than marks was changed")
	}
}

// Tools of others lead to the address in a mark, which needs that of the site.
func TestMarksLeadToTheForm(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress+`, "url": "https://cms.example.org"`)
	a := s.show(s.link("full", "/api/restaurants/{r}", ""), "GET", "/api/restaurants/{r}?fields=name,locale", "", "X-Quire-Source", "1")
	mark := decodeMark(t, marked.FindString(a.body))
	if want := s.named("https://cms.example.org/admin/content/api::restaurant.restaurant/{r}?field=name&locale=en"); mark["origin"] != "quire" || mark["href"] != want {
		t.Errorf("%v, want %s", mark, want)
	}
}
