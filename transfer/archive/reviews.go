package archive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"quire/auth/people"
	"quire/content/review"
	"quire/schema"
	"quire/store"
)

// Archives have the reviews of documents as settings, one for each document and locale, which
// Strapi keeps and does not use. Accounts are not in an archive: a review names them by their
// address, by which the importing site recognizes its own.

// reviewKey begins the keys of settings with reviews.
const reviewKey = "quire_review::"

// archivedReview is the review of a document in one locale.
type archivedReview struct {
	Type       string            `json:"type"`
	DocumentID string            `json:"documentId"`
	Locale     string            `json:"locale,omitempty"`
	Stage      string            `json:"stage,omitempty"` // id
	Due        string            `json:"due,omitempty"`
	Assignee   *reviewer         `json:"assignee,omitempty"`
	Comments   []archivedComment `json:"comments,omitempty"`
}

// archivedComment is a comment with its accounts in the form of an archive.
type archivedComment struct {
	review.Comment
	ID       string      `json:"id"`
	By       reviewer    `json:"by"`
	Mentions []reviewer  `json:"mentions,omitempty"`
	Resolved *resolution `json:"resolved,omitempty"`
}

type resolution struct {
	By reviewer  `json:"by"`
	At time.Time `json:"at"`
}

// reviewer is an account. One that was removed has no address.
type reviewer struct {
	Email string `json:"email,omitempty"`
	Name  string `json:"name,omitempty"`
}

// reviews writes the reviews of the documents of a type. next counts the settings.
func (x *exporter) reviews(s *spool, t *schema.Type, w *review.Workflow, accounts map[string]people.Contact, next *uint64) error {
	named := func(id, name string) reviewer {
		if a, known := accounts[id]; known {
			return reviewer{a.Email, a.Name}
		}
		return reviewer{Name: name}
	}
	return review.Each(x.tx, t.UID, func(p review.Place, st *review.State, list []*review.Comment) error {
		if !t.TakesLocale(p.Locale) {
			return nil
		}
		out := archivedReview{Type: p.UID, DocumentID: p.DocumentID, Locale: p.Locale, Due: st.Due}
		if w.Stage(st.Stage) != nil {
			out.Stage = st.Stage
		}
		if a := named(st.Assignee, ""); a.Email != "" {
			out.Assignee = &a
		}
		for _, c := range list {
			if c.Field != "" && t.Attribute(c.Field) == nil {
				x.report.leave("comments", 1, "the type no longer has the attribute that they are about")
				continue
			}
			made := archivedComment{Comment: *c, ID: c.ID, By: named(c.By, c.Author)}
			made.Author = "" // By has it
			for _, id := range c.Mentions {
				if a := named(id, ""); a.Email != "" {
					made.Mentions = append(made.Mentions, a)
				}
			}
			if c.Resolved != nil {
				made.Resolved = &resolution{named(c.Resolved.By, ""), c.Resolved.At}
			}
			out.Comments = append(out.Comments, made)
		}
		value, err := json.Marshal(out)
		if err != nil {
			return err
		}
		*next++
		x.report.add("reviews of documents", 1)
		x.report.add("comments", len(out.Comments))
		return s.setting(*next, reviewKey+strings.Join([]string{p.UID, p.DocumentID, p.Locale}, "::"), "object", value)
	})
}

// takeReview takes over the review of a document, and reports whether the setting is such a one.
// One that no document can have is refused.
func (s *survey) takeReview(c setting) (bool, error) {
	if !strings.HasPrefix(c.Value.Key, reviewKey) {
		return false, nil
	}
	r := new(archivedReview)
	err := json.Unmarshal(c.Value.Value, r)
	t := s.site.Type(r.Type)
	switch {
	case err != nil:
	case t == nil || t.BuiltIn || t.IsComponent():
		s.lacks[lack{r.Type, "the site has no such content type"}]++
		return true, nil
	default:
		if !t.Localized {
			r.Locale = ""
		}
		err = r.check(s, t)
	}
	if err != nil {
		return true, s.refuse(fmt.Errorf("%s, configuration, the review of %s %.40q: %w", s.path, r.Type, r.DocumentID, err))
	}
	s.reviews = append(s.reviews, r)
	return true, nil
}

// check checks what no import can change, and leaves out comments on attributes that the site
// does not have.
func (r *archivedReview) check(s *survey, t *schema.Type) error {
	all := len(r.Comments)
	r.Comments = slices.DeleteFunc(r.Comments, func(c archivedComment) bool { return c.Field != "" && t.Attribute(c.Field) == nil })
	s.report.leave("comments", all-len(r.Comments), "the site has no attribute that they are about")
	if err := review.CheckDue(r.Due); err != nil {
		return err
	}
	_, list, _ := r.here(nil)
	return review.CheckComments(list)
}

// here returns the state and the comments with the accounts of this site, by address, and how
// many accounts it does not have. A comment of such an account keeps the name of its author.
func (r *archivedReview) here(accounts map[string]string) (*review.State, []*review.Comment, int) {
	missing := 0
	find := func(a reviewer) string {
		id := accounts[people.Normal(a.Email)]
		if id == "" {
			missing++
		}
		return id
	}
	st := &review.State{Stage: r.Stage, Due: r.Due}
	if r.Assignee != nil {
		st.Assignee = find(*r.Assignee)
	}
	var list []*review.Comment
	for _, from := range r.Comments {
		c := from.Comment
		c.ID, c.By, c.Author, c.Mentions, c.Resolved = from.ID, find(from.By), "", nil, nil
		if c.By == "" {
			c.Author = from.By.Name
		}
		for _, a := range from.Mentions {
			if id := find(a); id != "" || accounts == nil { // nil: only the form counts
				c.Mentions = append(c.Mentions, id)
			}
		}
		if from.Resolved != nil {
			c.Resolved = &review.Resolution{By: find(from.Resolved.By), At: from.Resolved.At}
		}
		list = append(list, &c)
	}
	return st, list, missing
}

// placeReviews gives documents the reviews that they have in the archive. With Merge, those that
// have one here keep it.
func (r *restoration) placeReviews(db *store.DB) error {
	placed, said, strangers, unstaged := 0, 0, 0, 0
	for some := range slices.Chunk(r.reviews, placedAtOnce) {
		err := db.Update(func(tx *store.Tx) error {
			contacts, err := people.Contacts(tx)
			if err != nil {
				return err
			}
			accounts := map[string]string{}
			for id, a := range contacts {
				accounts[a.Email] = id
			}
			workflows, err := review.Workflows(tx)
			if err != nil {
				return err
			}
			for _, one := range some {
				st, list, missing := one.here(accounts)
				w := workflows[one.Type]
				lost := st.Stage != "" && (w == nil || w.Stage(st.Stage) == nil)
				if lost {
					st.Stage = ""
				}
				set, err := review.Restore(tx, review.Place{UID: one.Type, DocumentID: one.DocumentID, Locale: one.Locale}, st, list)
				if err != nil {
					return err
				}
				if !set {
					continue
				}
				placed, said, strangers = placed+1, said+len(list), strangers+missing
				if lost {
					unstaged++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.report.add("reviews of documents", placed)
	r.report.add("comments", said)
	r.report.leave("reviews of documents", len(r.reviews)-placed, "their documents have one here, or are not imported")
	r.report.leave("stages of documents", unstaged, "the stages of the type here do not include them: the documents are in the first one")
	r.report.leave("accounts in reviews", strangers, "no account here has their address: they are assigned and mentioned nowhere, and comments show the names alone")
	return nil
}
