package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/store"
)

// Comment is what an account says about a document, or about one of its fields.
type Comment struct {
	ID       string      `json:"-"`                // in the order of their time
	Thread   string      `json:"thread,omitempty"` // the first comment of the thread that it answers; empty if it begins one
	Field    string      `json:"field,omitempty"`  // name of an attribute; empty for the document as a whole
	Text     string      `json:"text"`
	By       string      `json:"by"`               // id of an account; empty if an archive has it from a person without one
	Author   string      `json:"author,omitempty"` // the name of that person
	At       time.Time   `json:"at"`
	Mentions []string    `json:"mentions,omitempty"` // ids of accounts
	Resolved *Resolution `json:"resolved,omitempty"` // of a thread, with its first comment; nil if it is open
}

// Resolution says who has resolved a thread.
type Resolution struct {
	By string    `json:"by"` // id of an account
	At time.Time `json:"at"`
}

// Root returns the id of the first comment of the thread.
func (c *Comment) Root() string {
	if c.Thread != "" {
		return c.Thread
	}
	return c.ID
}

// Limits of comments.
const (
	MostComments     = 200 // of a document in one locale
	MostCommentBytes = 4000
	MostMentions     = 20 // of a comment
)

// SpaceError: there is no space for another comment.
type SpaceError struct{ Message string }

func (e *SpaceError) Error() string { return e.Message }

// Check returns the error for a text or mentions that no comment can have, a *MisfitError.
func (c *Comment) Check() error {
	bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case strings.TrimSpace(c.Text) == "":
		return wrong("text", "a comment has a text")
	case len(c.Text) > MostCommentBytes || !utf8.ValidString(c.Text) || strings.ContainsFunc(c.Text, bad):
		return wrong("text", "a comment is a text of at most %d bytes", MostCommentBytes)
	case len(c.Mentions) > MostMentions:
		return wrong("mentions", "a comment mentions at most %d people", MostMentions)
	}
	return nil
}

// readComment reads a stored comment.
func readComment(key string, value []byte) (*Comment, error) {
	_, id, ok := placeOf(key)
	c := &Comment{ID: id}
	if !ok || id == "" {
		return nil, errors.New("it names no document")
	}
	return c, json.Unmarshal(value, c)
}

// ReadComment reports whether a stored comment can be read.
func ReadComment(key string, value []byte) error {
	_, err := readComment(key, value)
	return err
}

// comments returns the comments of a place, without those that cannot be read.
func comments(tx *store.Tx, p Place) (list []*Comment, err error) {
	err = tx.RecordsFrom(CommentsBucket, p.key()+divider, "", func(key string, value []byte) bool {
		if c, err := readComment(key, value); err == nil {
			list = append(list, c)
		}
		return true
	})
	return list, err
}

func putComment(tx *store.Tx, p Place, c *Comment) error {
	return tx.PutJSON(CommentsBucket, p.commentKey(c.ID), c)
}

func (p Place) commentKey(id string) string { return p.key() + divider + id }

// nextID returns the id of a comment at a time, after those of a list. It does not count them: a
// reader who sees only some of them must not learn how many there are.
func nextID(at time.Time, list []*Comment) string {
	next := fmt.Sprintf("%012x", at.UnixMilli())
	if len(list) > 0 && list[len(list)-1].ID >= next {
		last, _ := strconv.ParseInt(list[len(list)-1].ID, 16, 64)
		next = fmt.Sprintf("%012x", last+1)
	}
	return next
}

// Add stores a comment that has passed Check, and gives it its id and its time. An answer is about
// the field of its thread, and opens a resolved thread again. sees says whether the author sees a
// field; a thread about another one does not exist. Errors: ErrNoDocument, *SpaceError, and that of
// beside.
func (s *Board) Add(p Place, c *Comment, sees func(field string) bool, beside *Beside) error {
	return s.update(p, func(tx *store.Tx) error {
		list, err := comments(tx, p)
		if err != nil {
			return err
		}
		if len(list) >= MostComments {
			return &SpaceError{fmt.Sprintf("There are %d comments here; remove one of them", MostComments)}
		}
		if c.Thread != "" {
			root := find(list, c.Thread)
			if root == nil || root.Thread != "" || !sees(root.Field) {
				return ErrNoDocument
			}
			c.Field = root.Field
			if root.Resolved != nil {
				root.Resolved = nil
				if err := putComment(tx, p, root); err != nil {
					return err
				}
			}
		}
		c.At = s.now().UTC().Truncate(time.Millisecond)
		c.ID = nextID(c.At, list)
		if err := putComment(tx, p, c); err != nil {
			return err
		}
		return beside.put(tx)
	})
}

func find(list []*Comment, id string) *Comment {
	if i := slices.IndexFunc(list, func(c *Comment) bool { return c.ID == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// Resolve resolves the thread that begins with a comment, or opens it again. sees is as for Add.
// The error is ErrNoDocument, or that of Beside.
func (s *Board) Resolve(p Place, id, account string, resolved bool, sees func(field string) bool, beside *Beside) error {
	return s.update(p, func(tx *store.Tx) error {
		list, err := comments(tx, p)
		if err != nil {
			return err
		}
		c := find(list, id)
		if c == nil || c.Thread != "" || !sees(c.Field) {
			return ErrNoDocument
		}
		c.Resolved = nil
		if resolved {
			c.Resolved = &Resolution{account, s.now().UTC().Truncate(time.Millisecond)}
		}
		if err := putComment(tx, p, c); err != nil {
			return err
		}
		return beside.put(tx)
	})
}

// ErrNotOwn refuses to remove a comment of somebody else, or one that has answers.
var ErrNotOwn = errors.New("review: only one's own comment without answers can be removed")

// RemoveComment removes a comment that nobody has answered, if mayRemove allows it. Errors:
// ErrNoDocument, ErrNotOwn, and those of Beside.
func (s *Board) RemoveComment(p Place, id string, sees func(field string) bool, mayRemove func(*Comment) bool, beside *Beside) error {
	return s.update(p, func(tx *store.Tx) error {
		list, err := comments(tx, p)
		if err != nil {
			return err
		}
		c := find(list, id)
		switch {
		case c == nil || !sees(c.Field):
			return ErrNoDocument
		case !mayRemove(c) || slices.ContainsFunc(list, func(other *Comment) bool { return other.Thread == id }):
			return ErrNotOwn
		}
		if err := tx.DeleteRecord(CommentsBucket, p.commentKey(id)); err != nil {
			return err
		}
		return beside.put(tx)
	})
}

// Touch is a place that a commit has changed. Field is that of a comment.
type Touch struct {
	Place
	Field string
}

// Touched returns the places whose state or comments a commit has changed.
func Touched(c store.Commit) (list []Touch) {
	for _, r := range c.Records {
		p, _, ok := placeOf(r.Key)
		switch {
		case !ok:
		case r.Bucket == StatesBucket:
			list = append(list, Touch{Place: p})
		case r.Bucket == CommentsBucket:
			value := r.After
			if value == nil {
				value = r.Before
			}
			if c, err := readComment(r.Key, value); err == nil {
				list = append(list, Touch{p, c.Field})
			}
		}
	}
	return list
}
