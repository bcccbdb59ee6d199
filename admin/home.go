package admin

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"quire/auth"
	"quire/content/arrange"
	"quire/content/review"
	"quire/documents"
	"quire/schema"
	"quire/schema/settings"
	"quire/server"
)

// Home is where an account continues its work: its drafts, changes of others, what is
// scheduled, and autosaves of documents that have changed since.

func homeRoutes() []Route {
	const path = "/home"
	return []Route{
		{Method: http.MethodGet, Path: path, handler: showHome, summary: "What the account goes on with", out: homeOf{}},
		{Method: http.MethodPut, Path: path, Quiet: true, handler: arrangeHome, summary: "Arrange the first screen of the account", in: homeForm{}, out: homeForm{}},
		{Method: http.MethodDelete, Path: path, Quiet: true, handler: resetHome, summary: "Give the account the first screen of its role again"},
	}
}

// homeOf is the home of an account.
type homeOf struct {
	Parts     []settings.HomePart `json:"parts"` // that the account may see, in their order
	Own       bool                `json:"own"`   // the account has arranged them
	Drafts    []*item             `json:"drafts"`
	Recent    []*item             `json:"recent"`
	Scheduled []scheduledItem     `json:"scheduled"`
	Conflicts []*item             `json:"conflicts"`
	Waiting   []changeSetOf       `json:"waiting"` // for somebody to approve them
	Reviews   []reviewItem        `json:"reviews"` // where something waits for the account
}

// scheduledItem is a scheduled action, with its document.
type scheduledItem struct {
	*item
	ID      string   `json:"id"`
	Action  string   `json:"action"`
	At      string   `json:"at"`
	Locales []string `json:"locales,omitempty"`
}

// mostAtHome is the maximum length of each list of the home, and mostTried the maximum
// number of documents or autosaves that are examined for one.
const (
	mostAtHome = 10
	mostTried  = 30
)

func showHome(x *request) error {
	parts, own, err := x.homeParts()
	if err != nil {
		return err
	}
	h := &homeOf{Parts: parts, Own: own, Drafts: []*item{}, Recent: []*item{}, Scheduled: []scheduledItem{}, Conflicts: []*item{}, Waiting: []changeSetOf{}, Reviews: []reviewItem{}}
	for _, step := range []func(*homeOf) error{x.changes, x.scheduled, x.conflicts, x.waiting, x.toReview} {
		if err := step(h); err != nil {
			return err
		}
	}
	return x.data(h)
}

// usualHome is the first screen of accounts for which nobody has arranged one.
var usualHome = []settings.HomePart{{Kind: "reviews", Wide: true}, {Kind: "drafts"}, {Kind: "recent"}, {Kind: "scheduled", Wide: true}}

// homeParts returns the parts of the first screen that the account may see, and whether it
// has arranged them itself.
func (x *request) homeParts() (parts []settings.HomePart, own bool, err error) {
	if parts, err = x.admin.Arrange.Home(x.session.Account.ID); err != nil {
		return nil, false, err
	}
	if own = parts != nil; !own {
		parts = x.homeOfRole()
	}
	shown := []settings.HomePart{}
	for _, p := range parts {
		if x.unseen(p) == "" {
			shown = append(shown, p)
		}
	}
	return shown, own, nil
}

// homeOfRole returns the first screen that site.json gives the first role of the account that
// has one.
func (x *request) homeOfRole() []settings.HomePart {
	homes := x.admin.Server.Site(x.http).Settings.Admin.Homes
	for _, r := range x.session.Account.Roles {
		for _, name := range []string{r.ID, r.Name} {
			if parts, ok := homes[name]; ok {
				return parts
			}
		}
	}
	return usualHome
}

// unseen returns the member of a part that names what the account does not see, or "".
func (x *request) unseen(p settings.HomePart) (member string) {
	if p.Type == "" {
		return ""
	}
	t, err := x.readableType(p.Type)
	sees := &schemaView{site: x.admin.Server.Site(x.http), caller: x.session.Identity().Caller}
	switch {
	case err != nil || t.Kind == schema.Single:
		return "type"
	case p.By != "" && !sees.groupsBy(t, p.By):
		return "by"
	}
	return ""
}

// groupsBy reports whether the account sees an attribute by which a chart groups, or a date by
// whose months it does.
func (v *schemaView) groupsBy(t *schema.Type, by string) bool {
	date, isMonth := strings.CutSuffix(by, ".month")
	if v.reaches(t, strings.Split(by, ".")) {
		return true
	}
	a := v.reached(t, strings.Split(date, "."))
	return isMonth && a != nil && a.HasMonth()
}

type homeForm struct {
	Parts []settings.HomePart `json:"parts"`
}

func arrangeHome(x *request) error {
	f := homeForm{Parts: []settings.HomePart{}}
	if err := x.readForm(&f); err != nil {
		return err
	}
	if err := arrange.CheckHome(f.Parts); err != nil {
		return below("", err)
	}
	for i, p := range f.Parts {
		if member := x.unseen(p); member != "" {
			key := fmt.Sprintf("parts[%d].%s", i, member)
			return server.KeyProblem(key, fmt.Sprintf("%s: there is no list, or no attribute, of that name", key))
		}
	}
	if err := x.admin.Arrange.SetHome(x.session.Account.ID, f.Parts); err != nil {
		return err
	}
	return x.data(f)
}

func resetHome(x *request) error {
	if err := x.admin.Arrange.RemoveHome(x.session.Account.ID); err != nil {
		return err
	}
	return x.empty()
}

// changed is a recently changed document, in any locale and status.
type changed struct{ uid, documentID string }

// changes finds the latest changes, and which of them are drafts that the account or
// one of its assistants has changed.
func (x *request) changes(h *homeOf) error {
	own, all := &changeList{seen: map[changed]bool{}}, &changeList{seen: map[changed]bool{}}
	me := x.session.Account.ID
	call, err := x.call()
	if err != nil {
		return err
	}
	err = call.EachRecent(x.http.Context(), func(c documents.RecentChange) bool {
		all.add(c)
		if c.By.Account() == me {
			own.add(c)
		}
		return len(all.list) < mostTried || len(own.list) < mostTried
	})
	if err != nil {
		return err
	}
	if h.Recent, err = x.itemsOfChanges(all, func(*item) bool { return true }); err != nil {
		return err
	}
	h.Drafts, err = x.itemsOfChanges(own, func(i *item) bool { return i.Status == "draft" || i.Status == "modified" })
	return err
}

// changeList is the last change of each of some documents.
type changeList struct {
	seen map[changed]bool
	list []documents.RecentChange
}

func (l *changeList) add(c documents.RecentChange) {
	name := changed{c.Type, c.DocumentID}
	if len(l.list) < mostTried && !l.seen[name] {
		l.seen[name] = true
		l.list = append(l.list, c)
	}
}

// itemsOfChanges reads the documents that still exist.
func (x *request) itemsOfChanges(l *changeList, wanted func(*item) bool) ([]*item, error) {
	items := []*item{}
	for _, c := range l.list {
		t, err := x.readableType(c.Type)
		if err != nil {
			continue // users, roles and files are not edited as documents
		}
		i, err := x.item(t, c.DocumentID, c.Locale)
		switch {
		case err != nil:
			return nil, err
		case i == nil || !wanted(i):
			continue
		}
		if c.By != "" {
			i.UpdatedBy = &actorOf{Kind: c.By.Kind(), ID: c.By.ID(), Name: x.admin.People.Title(c.By)}
		}
		if items = append(items, i); len(items) == mostAtHome {
			break
		}
	}
	return items, nil
}

// scheduled lists the next scheduled actions.
func (x *request) scheduled(h *homeOf) error {
	if !x.session.Identity().Caller.HasPermission(auth.FindSchedules) {
		return nil
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	all, err := call.Upcoming(x.http.Context(), mostAtHome)
	if err != nil {
		return err
	}
	for _, s := range all {
		t, err := x.readableType(s.Type)
		if err != nil {
			continue
		}
		locale := ""
		if t.Localized && len(s.Locales) > 0 && s.Locales[0] != "*" {
			locale = s.Locales[0]
		}
		i, err := x.item(t, s.DocumentID, locale)
		if err != nil {
			return err
		}
		if i != nil {
			h.Scheduled = append(h.Scheduled, scheduledItem{i, s.ID, string(s.Action), s.At.String(), s.Locales})
		}
	}
	return nil
}

// conflicts finds autosaves of documents that have changed since.
func (x *request) conflicts(h *homeOf) error {
	saved, err := x.ownAutosaves()
	if err != nil {
		return err
	}
	for _, a := range saved[:min(len(saved), mostTried)] {
		if a.Base == 0 {
			continue
		}
		t, err := x.readableType(a.UID)
		if err != nil {
			continue
		}
		i, err := x.item(t, a.DocumentID, a.Locale)
		switch {
		case err != nil:
			return err
		case i != nil && i.version > a.Base && len(h.Conflicts) < mostAtHome:
			h.Conflicts = append(h.Conflicts, i)
		}
	}
	return nil
}

// reviewItem is a document that the account has to work on, or in whose comments it is mentioned.
type reviewItem struct {
	*item
	Stage     *string `json:"stage"` // name
	Due       *string `json:"due"`
	Assigned  bool    `json:"assigned"`
	Mentioned bool    `json:"mentioned"` // in a thread that is open, and that it has not answered
}

// mostWaiting is the maximum number of places that are examined for what the account reviews.
const mostWaiting = 100

// toReview finds the documents that wait for the account, those that are due first.
func (x *request) toReview(h *homeOf) error {
	places, err := x.admin.Reviews.Waiting(x.session.Account.ID, mostWaiting)
	if err != nil {
		return err
	}
	for _, p := range places {
		i, err := x.reviewItem(p)
		if err != nil {
			return err
		}
		if i != nil {
			h.Reviews = append(h.Reviews, *i)
		}
	}
	due := func(i reviewItem) string {
		if i.Due == nil {
			return "~" // after all dates
		}
		return *i.Due
	}
	slices.SortStableFunc(h.Reviews, func(a, b reviewItem) int { return strings.Compare(due(a), due(b)) })
	h.Reviews = h.Reviews[:min(len(h.Reviews), mostAtHome)]
	return nil
}

// reviewItem returns what waits for the account at a place; nil if it sees nothing there. A
// document that was moved to the stage from which it is published needs no review any more.
func (x *request) reviewItem(p review.Place) (*reviewItem, error) {
	t, err := x.readableType(p.UID)
	caller := x.session.Identity().Caller
	if err != nil || !seesReviews(caller, t) {
		return nil, nil
	}
	w, _, err := x.admin.Reviews.Workflow(p.UID)
	if err != nil {
		return nil, err
	}
	st, list, err := x.admin.Reviews.Read(p)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c *review.Comment) bool { return !seesField(caller, t, c.Field) })
	me, is := x.session.Account.ID, w.StageOf(st)
	found := &reviewItem{Due: documents.NullIfEmpty(st.Due), Mentioned: review.OpenMentions(list)[me]}
	found.Assigned = st.Assignee == me && (is == nil || w.Publish == "" || is.ID != w.Publish)
	if is != nil {
		found.Stage = &is.Name
	}
	if !found.Assigned && !found.Mentioned {
		return nil, nil
	}
	found.item, err = x.item(t, p.DocumentID, p.Locale)
	if found.item == nil || err != nil {
		return nil, err
	}
	return found, nil
}

// item is a document in one locale, in a list of documents of several types.
type item struct {
	UID        string   `json:"uid"`
	DocumentID string   `json:"documentId"`
	Locale     *string  `json:"locale"`
	Title      string   `json:"title"`
	Status     string   `json:"status"`
	UpdatedAt  string   `json:"updatedAt"`
	UpdatedBy  *actorOf `json:"updatedBy,omitempty"`

	version uint64 // of the document
}

func itemOf(s *documents.Summary) *item {
	return &item{
		UID: s.Type.UID, DocumentID: s.DocumentID, Locale: documents.NullIfEmpty(s.Locale), Title: s.Title,
		Status: s.Status, UpdatedAt: timeText(s.Updated), version: s.Version,
	}
}

// item reads one document; nil if the account may not see it.
func (x *request) item(t *schema.Type, documentID, locale string) (*item, error) {
	call, err := x.call()
	if err != nil {
		return nil, err
	}
	s, err := call.Summary(x.http.Context(), t, documentID, locale)
	if s == nil || err != nil {
		return nil, err
	}
	return itemOf(s), nil
}
