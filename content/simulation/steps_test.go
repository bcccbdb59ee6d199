package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/event"
	"quire/content/history"
	"quire/content/release"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// parcelKind is the kind of what writes put into the outbox.
const parcelKind = "simulation"

const (
	mostArticles   = 30
	mostCategories = 10
	mostParcels    = 40
	mostDue        = 10
)

func (w *world) one(choices ...string) string { return choices[w.random.IntN(len(choices))] }

// oneOf returns one of the documents; empty for none.
func (w *world) oneOf(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[w.random.IntN(len(ids))]
}

func (s *state) articleIDs() []string  { return slices.Sorted(maps.Keys(s.articles)) }
func (s *state) categoryIDs() []string { return slices.Sorted(maps.Keys(s.categories)) }
func (s *state) fileIDs() []string     { return slices.Sorted(maps.Keys(s.files)) }

func (w *world) title() string { return w.one("ash", "birch", "cedar", "elm", "fir", "hazel") }
func (w *world) name() string  { return fmt.Sprint("name", w.random.IntN(2*mostCategories)) }

// newID returns a documentId with the number of the step, so that a shorter history has the
// same ones.
func (w *world) newID(prefix string) string {
	w.made++
	return fmt.Sprintf("%s%06d%d", prefix, w.number, w.made)
}

// planned is a write and what it does to the model, which reports whether it is done and not
// refused.
type planned struct {
	what  string
	write content.Write
	model func(s *state) (done bool)
}

// step does one step at random on a node.
func (n *node) step() {
	switch dice := n.random.IntN(100); {
	case dice < 33:
		n.alone(n.plan())
	case dice < 35 && len(n.known) > 0:
		n.alone(n.restoreVersion())
	case dice < 40:
		n.together()
	case dice < 45:
		n.sideBySide()
	case dice < 48:
		n.schedule()
	case dice < 51:
		n.advanceClock()
	case dice < 53:
		n.deliver()
	case dice < 54:
		n.trim()
	case dice < 55:
		n.maintain()
	case dice < 57 && n.uploads != nil:
		n.upload()
	default:
		n.read()
	}
}

// maintain is what happens seldom.
func (n *node) maintain() {
	switch dice := n.random.IntN(12); {
	case dice < 2:
		n.note("kill")
		n.restart(false)
		n.recover([]*state{n.state}, 0)
	case dice < 4:
		n.note("power")
		if n.disk != nil {
			n.disk.end = errPower
		}
		n.recover([]*state{n.state}, 0)
	case dice < 6:
		n.prune()
	case n.journal != nil:
		n.fresh()
		n.check()
	case dice >= 10:
		n.migrate()
	case dice < 8:
		n.compact()
	case dice < 9 || n.backup == nil:
		n.takeBackup()
	default:
		n.restoreBackup()
	}
}

// alone does one write.
func (n *node) alone(p planned) {
	n.commit(p.what, func(s *state) *state {
		if next := s.next(); p.model(next) {
			return next
		}
		return nil
	}, func() error {
		_, err := n.writer.Together(context.Background(), []content.Write{p.write})
		return err
	})
}

// to is a model whose state is known. Nobody else writes meanwhile.
func to(s *state) func(*state) *state { return func(*state) *state { return s } }

// together does several writes, all or none.
func (n *node) together() {
	n.fresh()
	next, writes, names := n.state.next(), []content.Write{}, []string{}
	for range 2 + n.random.IntN(3) {
		p := n.plan()
		writes, names = append(writes, p.write), append(names, p.what)
		if next != nil && !p.model(next) {
			next = nil
		}
	}
	n.commit("together "+strings.Join(names, "; "), to(next), func() error {
		_, err := n.writer.Together(context.Background(), writes)
		return err
	})
}

// sideBySide does several writes that wait for one another, and share a commit.
func (n *node) sideBySide() {
	n.fresh()
	next, plans, accepted := n.state.next(), []planned{}, []bool{}
	for range 2 + n.random.IntN(4) {
		p := n.plan()
		trial := next.next()
		done := p.model(trial)
		if done {
			next = trial
		}
		plans, accepted = append(plans, p), append(accepted, done)
	}
	if !slices.Contains(accepted, true) {
		next = nil
	}
	errs, free := make([]error, len(plans)), make(chan struct{})
	n.commit(fmt.Sprintf("%d side by side", len(plans)), to(next), func() error {
		go n.writer.Alone(context.Background(), func() (*index.Index, error) { <-free; return nil, nil })
		synctest.Wait() // the writer is busy
		for i, p := range plans {
			go func() { _, errs[i] = n.writer.Together(context.Background(), []content.Write{p.write}) }()
			synctest.Wait() // the write is the last one in the queue
		}
		close(free)
		synctest.Wait()
		return n.outcome(plans, accepted, errs)
	})
}

// outcome compares the ends of writes side by side, and returns the one of the commit.
func (n *node) outcome(plans []planned, accepted []bool, errs []error) error {
	for i, err := range errs {
		if err != nil && !refuses(err) {
			return err // of the commit, which they share
		}
		if (err == nil) != accepted[i] {
			n.fail("side by side, %d of %d, %s: %v", i, len(plans), plans[i].what, err)
		}
	}
	if !slices.Contains(accepted, true) {
		return errs[0]
	}
	return nil
}

// request returns the request of a body.
func (n *node) request(t *schema.Type, id, locale string, data map[string]any, beside func(*store.Tx) error) content.Request {
	text, err := json.Marshal(data)
	must(err)
	in, err := body.Decode(n.site, t, text, nil)
	must(err)
	return content.Request{Type: t, DocumentID: id, Locale: locale, Input: in, Beside: beside}
}

// plan plans a write at random.
func (n *node) plan() planned {
	articles, categories := n.state.articleIDs(), n.state.categoryIDs()
	switch dice := n.random.IntN(20); {
	case len(categories) < 3 || dice < 1 && len(categories) < mostCategories:
		return n.saveCategory(n.newID("c"), true)
	case dice < 4:
		return n.saveCategory(n.oneOf(categories), false)
	case dice == 4:
		return n.deleteCategory(n.oneOf(categories))
	case len(articles) < 3 || dice < 8 && len(articles) < mostArticles:
		return n.saveArticle(n.newID("a"), true)
	case dice < 13:
		return n.saveArticle(n.oneOf(articles), false)
	case dice == 13:
		return n.deleteArticle(n.oneOf(articles))
	case dice == 14 && len(articles) < mostArticles:
		return n.duplicate(n.oneOf(articles))
	}
	return n.move(n.oneOf(articles))
}

// saveArticle creates or updates an article in a locale, and sometimes puts a parcel into the
// outbox in the same transaction.
func (n *node) saveArticle(id string, create bool) planned {
	locale, publishes, data := n.one(locales...), n.random.IntN(2) == 0, map[string]any{}
	if n.random.IntN(4) > 0 {
		data["title"] = n.title()
		if n.random.IntN(6) == 0 {
			data["title"] = nil
		}
	}
	if n.random.IntN(3) == 0 {
		data[n.state.shape.rank] = 1 + n.random.IntN(10)
	}
	note := n.setNote(data)
	if n.random.IntN(4) == 0 {
		data["code"] = strings.Repeat(n.one("x", "y", "z"), 1+n.random.IntN(1<<n.random.IntN(12)))
	}
	links := n.links(data)
	var beside func(*store.Tx) error
	key := ""
	if len(n.state.parcels) < mostParcels {
		key = n.newID("p")
		beside = func(tx *store.Tx) error { return tx.PutParcel(&store.Parcel{Kind: parcelKind, Key: key}) }
	}
	r := n.request(n.article, id, locale, data, beside)
	write := content.ToUpdate
	if create {
		write = content.ToCreate
	}
	if !publishes {
		r.Status = store.Draft
	}
	text, _ := json.Marshal(data)
	return planned{fmt.Sprintf("save %s %s %t %.60s", id, locale, publishes, text), write(r), func(s *state) bool {
		if !create && s.articles[id] == nil {
			return false
		}
		a := s.change(id)
		v := a.base(locale)
		if title, ok := data["title"]; ok {
			v.title, _ = title.(string)
		}
		if rank, ok := data[n.state.shape.rank].(int); ok {
			v.rank = rank
		}
		if note != "" {
			v.note = note
		}
		if code, ok := data["code"].(string); ok {
			v.code = code
		}
		if tags, ok := links(s, v.tags); !ok {
			return false
		} else {
			v.tags = tags
		}
		if key != "" {
			s.parcels[key] = true
		}
		a.save(locale, v)
		return !publishes || a.publish(locale)
	}}
}

// setNote gives an article another note, sometimes.
func (n *node) setNote(data map[string]any) (note string) {
	kind := n.state.shape.note
	if kind == "" || n.random.IntN(2) == 0 {
		return ""
	}
	number := n.random.IntN(10)
	if note, data["note"] = fmt.Sprint(number), number; kind == "string" {
		note = n.one(note, "word")
		data["note"] = note
	}
	return note
}

// links gives an article other tags, and returns what that does.
func (n *node) links(data map[string]any) func(*state, []string) ([]string, bool) {
	var ids []string
	for range n.random.IntN(4) {
		if id := n.oneOf(n.state.categoryIDs()); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	exist := func(s *state) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return s.categories[id] == nil })
	}
	switch form := n.random.IntN(5); {
	case form == 0:
		data["tags"] = ids
		return func(s *state, _ []string) ([]string, bool) { return ids, exist(s) }
	case form == 1 && len(ids) > 0:
		data["tags"] = map[string]any{"connect": ids}
		return func(s *state, tags []string) ([]string, bool) {
			return append(without(tags, ids), ids...), exist(s)
		}
	case form == 2 && len(ids) > 0:
		data["tags"] = map[string]any{"disconnect": ids}
		return func(s *state, tags []string) ([]string, bool) { return without(tags, ids), exist(s) }
	}
	return func(_ *state, tags []string) ([]string, bool) { return tags, true }
}

func without(list, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return slices.Contains(ids, id) })
}

func (n *node) deleteArticle(id string) planned {
	locale := n.one(append(locales, all)...)
	return planned{"delete " + id + " " + locale, content.ToDelete(content.Request{Type: n.article, DocumentID: id, Locale: locale}), func(s *state) bool {
		s.remove(id, locale)
		return true
	}}
}

func (n *node) duplicate(id string) planned {
	made := n.newID("a")
	return planned{"duplicate " + id, content.ToDuplicate(content.Step{Type: n.article, DocumentID: id, Copy: made}), func(s *state) bool {
		from := s.articles[id]
		if from == nil {
			return false
		}
		s.change(made).draft = maps.Clone(from.draft)
		return true
	}}
}

// move publishes, unpublishes or discards.
func (n *node) move(id string) planned {
	locale, action := n.one(locales...), n.one("publish", "publish", "unpublish", "unpublish and discard", "discard")
	step := content.Step{Type: n.article, DocumentID: id, Locales: []string{locale}}
	p := planned{what: fmt.Sprint(action, " ", id, " ", locale)}
	switch action {
	case "publish":
		p.write = content.ToPublish(step)
	case "discard":
		p.write = content.ToDiscardDraft(step)
	default:
		p.write = content.ToUnpublish(step, action == "unpublish and discard")
	}
	p.model = func(s *state) bool {
		if s.articles[id] == nil || s.articles[id].draft[locale] == nil {
			return false
		}
		a := s.change(id)
		live := a.live[locale]
		switch {
		case action == "publish":
			return a.publish(locale)
		case live == nil:
			return action != "discard"
		case action != "unpublish":
			a.save(locale, *live)
		}
		if action != "discard" {
			delete(a.live, locale)
		}
		return true
	}
	return p
}

// restoreVersion restores a former version of an article, which may be deleted.
func (n *node) restoreVersion() planned {
	name := n.known[n.random.IntN(len(n.known))]
	v := n.versions[name]
	r := content.Restoration{Step: content.Step{Type: n.article, DocumentID: name.key.DocumentID}, Locale: name.key.Locale, Status: name.key.Status, Revision: name.revision, Create: true}
	var kept bool
	must(n.db.View(func(tx *store.Tx) error {
		e, err := history.Read(tx, articleUID, name.key, name.revision, func() error { return nil })
		kept = e != nil
		return err
	}))
	return planned{fmt.Sprint("restore ", name), content.ToRestore(r, func() error { return nil }, new([]content.Dropped)), func(s *state) bool {
		if !kept {
			return false
		}
		restored := *v
		restored.tags = s.shown(v)
		if v.stored.rank != s.shape.rank {
			restored.rank = 0
		}
		if v.stored.note != s.shape.note {
			restored.note = ""
		}
		s.change(name.key.DocumentID).save(name.key.Locale, restored)
		return true
	}}
}

// saveCategory creates or updates a category, its parent, or the categories below it.
func (n *node) saveCategory(id string, create bool) planned {
	name, data := n.name(), map[string]any{}
	if create || n.random.IntN(2) == 0 {
		data["name"] = name
	}
	other := n.oneOf(n.state.categoryIDs())
	switch form := n.random.IntN(4); {
	case other == id || other == "":
	case form == 0:
		data["parent"] = other
	case form == 1:
		data["parent"] = nil
	case form == 2:
		data["children"] = []string{other}
	}
	write := content.ToUpdate
	if create {
		write = content.ToCreate
	}
	text, _ := json.Marshal(data)
	return planned{fmt.Sprintf("save %s %s", id, text), write(n.request(n.category, id, "", data, nil)), func(s *state) bool {
		c := &category{}
		if was := s.categories[id]; was != nil {
			*c = *was
		} else if !create {
			return false
		}
		if data["name"] != nil {
			if s.taken(name, id) {
				return false
			}
			c.name = name
		}
		if parent, ok := data["parent"]; ok {
			c.parent, _ = parent.(string)
		}
		if (data["parent"] != nil || data["children"] != nil) && s.categories[other] == nil {
			return false
		}
		s.categories[id] = c
		if data["children"] != nil {
			for child, c := range s.categories {
				if c.parent == id {
					s.setParent(child, "")
				}
			}
			s.setParent(other, id)
		}
		return true
	}}
}

func (n *node) deleteCategory(id string) planned {
	return planned{"delete " + id, content.ToDelete(content.Request{Type: n.category, DocumentID: id}), func(s *state) bool {
		delete(s.categories, id)
		return true
	}}
}

// record writes something that is not content, which leads to the next state.
func (n *node) record(what string, next *state, fn func(tx *store.Tx) error) {
	n.fresh()
	n.commit(what, to(next), func() error { return n.writer.Record(context.Background(), fn) })
}

// schedule has an article published or unpublished at a time.
func (n *node) schedule() {
	id := n.oneOf(n.state.articleIDs())
	if id == "" || len(n.state.due) >= mostDue {
		return
	}
	n.fresh()
	at := n.clock().Add(time.Duration(1+n.random.IntN(1e7)) * time.Millisecond)
	d := &schedule{at: at, article: id, locale: n.one(locales...), unpublish: n.random.IntN(3) == 0}
	next, action := n.state.next(), schema.Publish
	next.due[n.newID("d")] = d
	if d.unpublish {
		action = schema.Unpublish
	}
	n.commit("schedule "+id, to(next), func() error {
		_, err := n.calendar.Schedule(context.Background(), release.Release{At: at, Steps: []release.Step{{Type: articleUID, DocumentID: id, Action: action, Locales: []string{d.locale}}}})
		return err
	})
}

// advanceClock moves the clock, mostly forward, and does what is due then.
func (n *node) advanceClock() {
	n.now = n.now.Add(time.Duration(n.random.IntN(3600)-600) * time.Second)
	if n.random.IntN(20) == 0 {
		n.now = n.now.Add(time.Duration(n.random.IntN(200)-100) * time.Hour)
	}
	n.fresh()
	now := n.clock()
	states := []*state{n.state}
	for _, name := range slices.SortedFunc(maps.Keys(n.state.due), func(a, b string) int { return n.state.due[a].at.Compare(n.state.due[b].at) }) {
		if n.state.due[name].at.After(now) {
			break
		}
		next := states[len(states)-1].next()
		next.carryOut(name)
		states = append(states, next)
	}
	n.note("do what is due, %d", len(states)-1)
	done := 0
	err := n.calendar.Run(context.Background(), now, func(release.Outcome) { done++ })
	if err != nil {
		if !expected(err) {
			n.fail("what is due: %v", err)
		}
		n.compare(n.index.Snapshot(), states[done])
		n.recover(states[:min(done+2, len(states))], done)
		return
	}
	if done != len(states)-1 {
		n.fail("%d were due, and %d were done", len(states)-1, done)
	}
	for i, s := range states[1:] {
		n.last++
		n.state, n.states[n.last] = states[i+1], s
	}
	n.advance(n.state)
	n.count("clock moved")
}

// deliver removes a parcel from the outbox.
func (n *node) deliver() {
	if keys := slices.Sorted(maps.Keys(n.state.parcels)); len(keys) > 0 {
		next := n.state.next()
		for _, key := range keys[:1+n.random.IntN(len(keys))] {
			delete(next.parcels, key)
		}
		n.record("deliver", next, func(tx *store.Tx) error {
			for _, key := range keys {
				if next.parcels[key] {
					continue
				}
				if err := tx.DeleteParcel(parcelKind, key); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// trim removes the beginning of the log of changes.
func (n *node) trim() {
	n.record("trim the log", n.state, func(tx *store.Tx) error {
		through, err := event.Expired(tx, n.site.Settings.Events, n.now, 1+n.random.IntN(100))
		if err == nil && through > 0 {
			_, err = tx.TrimLog(through, 100)
		}
		return err
	})
}

// prune removes former versions that need not be kept.
func (n *node) prune() {
	n.record("prune the history", n.state, func(tx *store.Tx) error {
		found, _, err := history.Expired(tx, history.VersionKey{}, n.site.Settings.History, n.now.UnixMilli(), 1+n.random.IntN(200))
		if err == nil {
			err = history.Remove(tx, found)
		}
		return err
	})
}

// compact replaces the file with a compact copy. If the power is cut meanwhile, either of the
// two has the name, and a part of a copy may be left beside it.
func (n *node) compact() {
	n.note("compact")
	was, err := os.ReadFile(n.path)
	must(err)
	if _, err := n.db.Compact(context.Background()); err != nil {
		n.fail("compact: %v", err)
	}
	n.disk.attach(n.db)
	if n.random.IntN(2) == 0 {
		n.count("power during a compaction")
		if n.disk.end = errPower; n.random.IntN(2) == 0 {
			must(os.WriteFile(n.path+".compact", was[:n.random.IntN(len(was))], 0o600))
		}
	}
	n.recover([]*state{n.state}, 0)
}

// takeBackup keeps a copy of the file.
func (n *node) takeBackup() {
	n.note("back up")
	b := &backup{n.path + ".backup", n.state, n.named()}
	f, err := os.Create(b.path)
	must(err)
	_, err = n.db.Backup(f)
	must(err)
	must(f.Close())
	n.world.backup = b
}

// restoreBackup serves the copy instead of the file.
func (n *node) restoreBackup() {
	n.note("restore")
	b, work := n.backup, n.path+".restore"
	err := n.writer.Alone(context.Background(), func() (*index.Index, error) {
		err := n.db.Exchange(func(path string) error {
			from, err := os.Open(b.path)
			must(err)
			to, err := os.Create(work)
			must(err)
			_, err = io.Copy(to, from)
			must(err)
			must(to.Sync())
			must(to.Close())
			must(from.Close())
			former := path + ".former" // as a copy: the file is locked
			must(n.db.CopyTo(former))
			must(store.Succeed(work, former))
			must(os.Remove(former))
			return store.Replace(work, path)
		})
		if err != nil {
			return nil, err
		}
		n.index = n.build()
		return n.index, nil
	})
	if err != nil {
		n.fail("restore: %v", err)
	}
	n.disk.attach(n.db)
	n.goBack(n.last) // numbers of versions are given out again
	n.last = n.revision()
	n.state, n.states[n.last] = b.state, b.state
	n.restoreUploads(b.files)
	n.count("restored")
	n.check()
}
