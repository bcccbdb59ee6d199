package contenttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"quire/content"
	"quire/content/body"
	"quire/store"
)

// Gambler writes at random.
type Gambler struct {
	*Fixture
	Rand    *rand.Rand
	Context context.Context // of the writes; nil for none
	ids     [4][]string     // of Kinds
	Last    string
}

// context returns that of a write.
func (g *Gambler) context() context.Context {
	if g.Context == nil {
		return context.Background()
	}
	return g.Context
}

// Kinds are the types of the guide that it writes.
var Kinds = [...]string{"restaurant", "chef", "category", "review"}

func (g *Gambler) one(choices ...string) string { return choices[g.Rand.IntN(len(choices))] }

// some returns a list of documents of a kind, sometimes with an unknown one.
func (g *Gambler) some(kind, most int) string {
	var list []string
	for range g.Rand.IntN(most + 1) {
		if len(g.ids[kind]) > 0 {
			list = append(list, fmt.Sprintf("%q", g.one(g.ids[kind]...)))
		}
	}
	if g.Rand.IntN(40) == 0 {
		list = append(list, `"nobody"`)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// links returns one of the forms in which a body writes links.
func (g *Gambler) links(kind, most int) string {
	list := g.some(kind, most)
	switch g.Rand.IntN(5) {
	case 0:
		return `{"connect": ` + list + `}`
	case 1:
		return `{"disconnect": ` + list + `}`
	case 2:
		return `{"set": ` + list + `}`
	case 3:
		if len(g.ids[kind]) > 1 {
			return fmt.Sprintf(`{"connect": [{"documentId": %q, "position": {"before": %q}}], "options": {"strict": false}}`, g.one(g.ids[kind]...), g.one(g.ids[kind]...))
		}
	}
	return list
}

func (g *Gambler) body(kind int) string {
	members := []func() string{
		func() string { return fmt.Sprintf(`"name": "name %d"`, g.Rand.IntN(30)) },
		func() string { return fmt.Sprintf(`"stars": %d`, g.Rand.IntN(7)) },
		func() string { return fmt.Sprintf(`"slug": "s%d"`, g.Rand.IntN(8)) },
		func() string { return `"categories": ` + g.links(2, 3) },
		func() string { return `"chef": ` + g.links(1, 1) },
		func() string { return `"reviews": ` + g.links(3, 3) },
		func() string { return `"nearby": ` + g.links(0, 3) },
		func() string { return fmt.Sprintf(`"location": {"street": "street %d"}`, g.Rand.IntN(5)) },
		func() string { return g.one(`"location": null`, `"location": {}`) },
		func() string {
			return `"opening_hours": [{"day": "mon"}, {"day": "` + g.one("tue", "wed", "zzz") + `"}]`
		},
		func() string {
			return `"sections": [{"__component": "section.related", "restaurants": ` + g.some(0, 2) + `, "links": [{"label": "l"}]}]`
		},
	}
	switch kind {
	case 1:
		members = append(members[:1:1], func() string { return `"restaurants": ` + g.links(0, 3) })
	case 2:
		members = append(members[:1:1],
			func() string { return fmt.Sprintf(`"code": %d`, g.Rand.IntN(10)) },
			func() string { return `"restaurants": ` + g.links(0, 3) },
			func() string { return `"parent": ` + g.links(2, 1) },
			func() string { return `"children": ` + g.links(2, 3) })
	case 3:
		members = []func() string{
			func() string { return fmt.Sprintf(`"note": %d`, g.Rand.IntN(12)) },
			func() string { return `"restaurant": ` + g.links(0, 1) },
		}
	}
	said := []string{}
	for i, m := range members {
		if i == 0 && g.Rand.IntN(3) > 0 || g.Rand.IntN(3) == 0 {
			said = append(said, m())
		}
	}
	return "{" + strings.Join(said, ", ") + "}"
}

// Move does one write at random. The error is that of a refused one.
func (g *Gambler) Move() error {
	kind := g.Rand.IntN(len(Kinds))
	locale := In(g.one("", "", "", "fr", "it"))
	status := func(r *content.Request) { r.Status = store.Status(g.one("p", "p", "d")[0]) }
	data := g.body(kind)
	switch dice := g.Rand.IntN(14); {
	case dice < 3 || len(g.ids[kind]) == 0:
		g.Last = "create " + Kinds[kind] + " " + data
		result, err := g.send(g.context(), g.Writer.Create, Kinds[kind], data, []func(*content.Request){locale, status})
		if err == nil {
			g.ids[kind] = append(g.ids[kind], result.DocumentID)
		}
		return g.expected(err)
	case dice < 9:
		id := g.one(g.ids[kind]...)
		g.Last = "update " + Kinds[kind] + " " + id + " " + data
		_, err := g.send(g.context(), g.Writer.Update, Kinds[kind], data, []func(*content.Request){Called(id), locale, status})
		return g.expected(err)
	}
	switch g.Rand.IntN(8) {
	case 0:
		return g.together()
	case 1, 2, 3, 4:
		return g.step()
	}
	id := g.one(g.ids[kind]...)
	g.Last = "delete " + Kinds[kind] + " " + id
	return g.expected(g.Writer.Delete(g.context(), content.Request{Type: g.Kind(Kinds[kind]), DocumentID: id, Locale: g.one("", "fr", content.AllLocales)}))
}

// step moves a document one step through its life.
func (g *Gambler) step() error {
	one, kind := g.anyStep()
	results, err := g.Writer.Together(g.context(), []content.Write{one})
	if err == nil && strings.HasPrefix(g.Last, "duplicate") {
		g.ids[kind] = append(g.ids[kind], results[0][0].DocumentID)
	}
	return g.expected(err)
}

// together takes several steps, all or none.
func (g *Gambler) together() error {
	var writes []content.Write
	var names []string
	for range 2 + g.Rand.IntN(3) {
		one, _ := g.anyStep()
		writes, names = append(writes, one), append(names, g.Last)
	}
	g.Last = "together: " + strings.Join(names, "; ")
	_, err := g.Writer.Together(g.context(), writes)
	return g.expected(err)
}

func (g *Gambler) anyStep() (one content.Write, kind int) {
	for kind = g.Rand.IntN(len(Kinds)); len(g.ids[kind]) == 0; kind = g.Rand.IntN(len(Kinds)) {
	}
	s := content.Step{Type: g.Kind(Kinds[kind]), DocumentID: g.one(g.ids[kind]...)}
	if l := g.one("", "fr", "it", content.AllLocales); l != "" {
		s.Locales = []string{l}
	}
	action := g.one("publish", "unpublish", "discard", "duplicate")
	if !s.Type.DraftAndPublish {
		action = "duplicate"
	}
	g.Last = fmt.Sprint(action, " ", Kinds[kind], " ", s.DocumentID, " ", s.Locales)
	switch action {
	case "publish":
		return content.ToPublish(s), kind
	case "unpublish":
		return content.ToUnpublish(s, g.Rand.IntN(2) == 0), kind
	case "discard":
		return content.ToDiscardDraft(s), kind
	}
	return content.ToDuplicate(s), kind
}

// expected allows a write to be refused because of its content, but not to fail.
func (g *Gambler) expected(err error) error {
	if err != nil && !errors.As(err, new(*body.ValidationError)) && !errors.As(err, new(*content.NotFoundError)) && !errors.As(err, new(*content.ApplicationError)) && !errors.As(err, new(*content.ForbiddenError)) {
		g.Errorf("%s: %v", g.Last, err)
	}
	return err
}

// Each calls fn for every entry of a type.
func (g *Gambler) Each(kind string, fn func(*store.Entry)) {
	err := g.DB.View(func(tx *store.Tx) error {
		return tx.Scan(g.Kind(kind).UID, func(e *store.Entry) error {
			fn(e)
			return nil
		})
	})
	if err != nil {
		g.Error(err)
	}
}
