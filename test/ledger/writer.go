package ledger

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"mime/multipart"
	"slices"
	"strings"
)

// shared begins the names of documents that all writers link to.
const shared = "shared-"

const sharedCuisines = 3

// writer makes up writes, to documents of its own and to the shared ones. Only it writes to
// its own, so it knows what each must contain.
type writer struct {
	prefix string // of the names of its documents
	random *rand.Rand
	made   int
	docs   map[string][]string // names of its documents, by kind
	gone   []string            // names of those that it has deleted

	bulk    int // factor of the length of its texts
	flight  *Op // sent, with an unknown outcome
	answers map[int]int
}

func newWriter(n int, seed uint64) *writer {
	return &writer{
		prefix: fmt.Sprintf("w%d-", n), random: rand.New(rand.NewPCG(seed, uint64(n))),
		bulk: 1, docs: map[string][]string{}, answers: map[int]int{},
	}
}

// next makes up a write.
func (w *writer) next() Op {
	n := w.random.IntN(100)
	switch {
	case n < 40:
		return w.some("restaurant", w.newRestaurant, w.changeRestaurant)
	case n < 55:
		return w.some("story", w.newStory, w.changeStory)
	case n < 65:
		return w.some("cuisine", w.newCuisine, w.changeCuisine)
	case n < 72:
		return w.some("cook", w.newCook, w.changeCook)
	case n < 84:
		return w.some("visit", w.newVisit, w.changeVisit)
	}
	return w.some("file", w.upload, w.replace)
}

// some creates a document of a kind, changes one or deletes one.
func (w *writer) some(kind string, create func(name string) Op, change func(name string) Op) Op {
	have := w.docs[kind]
	switch n := w.random.IntN(10); {
	case len(have) < 2, len(have) < 8 && n < 3:
		w.made++
		o := create(fmt.Sprintf("%s%s-%d", w.prefix, kind, w.made))
		o.Makes = fmt.Sprintf("%s%s-%d", w.prefix, kind, w.made)
		return o
	case len(have) >= 8 || n < 4:
		return w.remove(kind, w.one(kind))
	}
	if drafts := kind == "restaurant" || kind == "story"; drafts && w.random.IntN(3) == 0 {
		return w.act(kind, w.one(kind))
	}
	return change(w.one(kind))
}

// act moves a document one step on in its life. An impossible step, for example back to a
// version that was never published, is refused to both peers.
func (w *writer) act(kind, name string) Op {
	actions := []string{"publish", "publish?locale=*", "unpublish", "unpublish?locale=*&discardDraft=true", "discard-draft", "discard-draft?locale=*"}
	return Op{Method: "POST", Path: plurals[kind] + "/‹" + name + "›/actions/" + actions[w.random.IntN(len(actions))]}
}

var plurals = map[string]string{
	"restaurant": "/api/restaurants", "story": "/api/stories", "cuisine": "/api/cuisines",
	"cook": "/api/cooks", "visit": "/api/visits", "file": "/api/upload/files",
}

func (w *writer) remove(kind, name string) Op {
	o := Op{Method: "DELETE", Path: plurals[kind] + "/‹" + name + "›", Removes: name}
	if kind == "restaurant" {
		o.Path += "?locale=*"
		if w.random.IntN(3) == 0 {
			o.Path, o.Removes = strings.TrimSuffix(o.Path, "*")+"de", ""
		}
	}
	return o
}

// done records that a write was done.
func (w *writer) done(o Op) {
	for kind, names := range w.docs {
		w.docs[kind] = slices.DeleteFunc(names, func(name string) bool { return name == o.Removes })
	}
	if o.Removes != "" {
		w.gone = append(w.gone, o.Removes)
	}
	if o.Makes != "" {
		w.own(o.Makes)
	}
}

func (w *writer) own(name string) { w.docs[kindOf(name)] = append(w.docs[kindOf(name)], name) }

// kindOf returns the kind of a document by its name.
func kindOf(name string) string { return strings.Split(name, "-")[1] }

// one returns a document of a kind.
func (w *writer) one(kind string) string {
	return w.docs[kind][w.random.IntN(len(w.docs[kind]))]
}

// word returns a text that no other write has.
func (w *writer) word() string { return fmt.Sprintf("%s%x", w.prefix, w.random.Uint32()) }

// long returns a text that takes pages of the file.
func (w *writer) long() string { return strings.Repeat(w.word()+" ", 1+w.random.IntN(600)*w.bulk) }

func (w *writer) status() string { return []string{"draft", "published"}[w.random.IntN(2)] }

func (w *writer) newRestaurant(name string) Op {
	return Op{Method: "POST", Path: "/api/restaurants?status=" + w.status(),
		Body: fmt.Sprintf(`{"data": {"slug": %q, "name": %q, %s, "cuisines": %s, "cook": %s}}`, name, w.word(), w.restaurant(), w.links("cuisine"), w.link("cook"))}
}

func (w *writer) changeRestaurant(name string) Op {
	o := Op{Method: "PUT", Path: fmt.Sprintf("/api/restaurants/‹%s›?status=%s&locale=%s", name, w.status(), []string{"en", "en", "de"}[w.random.IntN(3)])}
	switch w.random.IntN(5) {
	case 0:
		o.Body = fmt.Sprintf(`{"data": {"cuisines": %s}}`, w.links("cuisine"))
	case 1:
		o.Body = fmt.Sprintf(`{"data": {"cook": %s, "visits": %s, "stories": %s}}`, w.link("cook"), w.links("visit"), w.links("story"))
	case 2:
		o.Body = fmt.Sprintf(`{"data": {"photo": %s}}`, w.photo())
	default:
		o.Body = fmt.Sprintf(`{"data": {%s}}`, w.restaurant())
	}
	// A locale may be new: then it has nothing yet, not even the test's name.
	o.Body = strings.Replace(o.Body, `{"data": {`, fmt.Sprintf(`{"data": {"slug": %q, "name": %q, `, name, w.word()), 1)
	return o
}

// restaurant returns attributes of both sorts, with and without a value in each locale,
// that all have the same word.
func (w *writer) restaurant() string {
	word := w.word()
	opening := make([]string, w.random.IntN(4))
	for i := range opening {
		opening[i] = fmt.Sprintf(`{"day": "mon", "from": "0%d:00:00"}`, w.random.IntN(10))
	}
	return fmt.Sprintf(`"summary": %[1]q, "seo": {"title": %[1]q, "description": %[2]q}, "facts": {"word": %[1]q},
		"seats": %[3]d, "address": {"street": %[1]q, "geo": {"lat": %[4]d}}, "opening": [%[5]s]`,
		word, w.long(), 1+w.random.IntN(500), w.random.IntN(90), strings.Join(opening, ", "))
}

func (w *writer) newStory(name string) Op {
	return Op{Method: "POST", Path: "/api/stories?status=" + w.status(),
		Body: fmt.Sprintf(`{"data": {"slug": %q, "title": %q, "body": %s, "restaurants": %s}}`, name, w.word(), w.zone(), w.links("restaurant"))}
}

func (w *writer) changeStory(name string) Op {
	o := Op{Method: "PUT", Path: fmt.Sprintf("/api/stories/‹%s›?status=%s", name, w.status())}
	o.Body = fmt.Sprintf(`{"data": {"title": %q, "body": %s}}`, w.word(), w.zone())
	if w.random.IntN(2) == 0 {
		o.Body = fmt.Sprintf(`{"data": {"restaurants": %s}}`, w.links("restaurant"))
	}
	return o
}

// zone returns a dynamic zone, whose components have links too.
func (w *writer) zone() string {
	parts := make([]string, 1+w.random.IntN(3))
	for i := range parts {
		parts[i] = [...]string{
			fmt.Sprintf(`{"__component": "block.text", "text": %q}`, w.long()),
			fmt.Sprintf(`{"__component": "block.quote", "quote": %q, "by": %s}`, w.word(), w.link("cook")),
			fmt.Sprintf(`{"__component": "block.picks", "heading": %q, "restaurants": %s}`, w.word(), w.links("restaurant")),
		}[w.random.IntN(3)]
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (w *writer) newCuisine(name string) Op {
	return Op{Method: "POST", Path: "/api/cuisines", Body: fmt.Sprintf(`{"data": {"name": "%s %s", "restaurants": %s}}`, name, w.word(), w.links("restaurant"))}
}

// changeCuisine links from the inverse side, but not to a shared cuisine: that would make
// published restaurants of others agree with their drafts about it, and so depend on their
// state.
func (w *writer) changeCuisine(name string) Op {
	return Op{Method: "PUT", Path: "/api/cuisines/‹" + name + "›",
		Body: fmt.Sprintf(`{"data": {"name": "%s %s", "restaurants": %s}}`, name, w.word(), w.links("restaurant"))}
}

func (w *writer) newCook(name string) Op {
	return Op{Method: "POST", Path: "/api/cooks", Body: fmt.Sprintf(`{"data": {"name": "%s %s", "bio": %q}}`, name, w.word(), w.long())}
}

func (w *writer) changeCook(name string) Op {
	return Op{Method: "PUT", Path: "/api/cooks/‹" + name + "›",
		Body: fmt.Sprintf(`{"data": {"name": "%s %s", "restaurants": %s}}`, name, w.word(), w.links("restaurant"))}
}

func (w *writer) newVisit(name string) Op {
	return Op{Method: "POST", Path: "/api/visits",
		Body: fmt.Sprintf(`{"data": {"comment": "%s %s", "rating": %d, "restaurant": %s}}`, name, w.word(), 1+w.random.IntN(5), w.link("restaurant"))}
}

func (w *writer) changeVisit(name string) Op {
	o := w.newVisit(name)
	o.Method, o.Path = "PUT", "/api/visits/‹"+name+"›"
	return o
}

func (w *writer) upload(name string) Op {
	file := RandomFile(w.random)
	return Op{Method: "POST", Path: "/api/upload", File: file, Body: fmt.Sprintf(`{"name": %q, "alternativeText": %q}`, Sum(file), name)}
}

func (w *writer) replace(name string) Op {
	o := w.upload(name)
	o.Path += "?id=‹" + name + "›"
	return o
}

func (w *writer) photo() string {
	if len(w.docs["file"]) == 0 || w.random.IntN(4) == 0 {
		return "null"
	}
	return "‹#" + w.one("file") + "›"
}

// link returns a link to one document or to none.
func (w *writer) link(kind string) string {
	if len(w.docs[kind]) == 0 || w.random.IntN(4) == 0 {
		return "null"
	}
	return fmt.Sprintf(`{"set": ["‹%s›"]}`, w.one(kind))
}

// links sets, connects, disconnects or reorders some links.
func (w *writer) links(kind string) string {
	names := slices.Clone(w.docs[kind])
	if kind == "cuisine" {
		for n := range sharedCuisines {
			names = append(names, fmt.Sprintf("%scuisine-%d", shared, n))
		}
	}
	w.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	ids := make([]string, min(len(names), w.random.IntN(4)))
	for i := range ids {
		ids[i] = `"‹` + names[i] + `›"`
	}
	list := "[" + strings.Join(ids, ", ") + "]"
	switch n := w.random.IntN(4); {
	case n == 0:
		return `{"set": ` + list + `}`
	case n == 1:
		return `{"disconnect": ` + list + `}`
	case n == 2 && len(ids) > 0:
		return `{"connect": [{"documentId": ` + ids[0] + `, "position": {"start": true}}]}`
	}
	return `{"connect": ` + list + `}`
}

// Sum returns a name for a file from its content, so that an incomplete one is noticed.
func Sum(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// RandomFile returns some text, or a picture from which formats are made.
func RandomFile(random *rand.Rand) []byte {
	if random.IntN(3) > 0 {
		return bytes.Repeat([]byte(fmt.Sprintln(random.Uint64())), 1+random.IntN(5000))
	}
	m := image.NewGray(image.Rect(0, 0, 260, 20+random.IntN(200)))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32())
	}
	var b bytes.Buffer
	png.Encode(&b, m)
	return b.Bytes()
}

// Form returns the body for uploading a file, with its description.
func Form(file, info []byte) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("files", "file")
	part.Write(file)
	w.WriteField("fileInfo", string(info))
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}
