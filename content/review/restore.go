package review

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/store"
)

// Each calls fn with the places of a type that have a state or comments, as far as they can be
// read: those with a state first, each in the order of their keys.
func Each(tx *store.Tx, uid string, fn func(Place, *State, []*Comment) error) error {
	var last Place
	for _, bucket := range []string{StatesBucket, CommentsBucket} {
		var failed error
		err := tx.RecordsFrom(bucket, uid+divider, "", func(key string, _ []byte) bool {
			p, _, ok := placeOf(key)
			if !ok || p == last {
				return true
			}
			last = p
			st, err := stateOf(tx, p)
			if err == nil && (bucket == StatesBucket) == (*st != State{}) {
				var list []*Comment
				if list, err = comments(tx, p); err == nil {
					err = fn(p, st, list)
				}
			}
			failed = err
			return failed == nil
		})
		if err := errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// Restore stores the state and the comments of a place that has neither, for an import. They must
// have passed CheckDue and CheckComments. It reports whether it did: not if the place has no
// document, or has a review.
func Restore(tx *store.Tx, p Place, st *State, list []*Comment) (bool, error) {
	there, err := stateOf(tx, p)
	if err != nil || *there != (State{}) || !hasDocument(tx, p) {
		return false, err
	}
	if said, err := comments(tx, p); err != nil || len(said) > 0 {
		return false, err
	}
	for _, c := range list {
		if err := putComment(tx, p, c); err != nil {
			return false, err
		}
	}
	if err := SetState(tx, p, st); err != nil {
		return false, err
	}
	return true, moveWaiting(tx, p, nil)
}

// commentID is the form of the id of a comment. After each there is space for later ones.
var commentID = regexp.MustCompile(`^[0-9a-e][0-9a-f]{11}$`)

// mostAuthor is the maximum length of the name of an author without an account, in bytes.
const mostAuthor = 400

// CheckComments returns the error for a list of comments that no place can have, a *MisfitError:
// each has a later id than the one before it, and an answer follows the comment that it answers.
func CheckComments(list []*Comment) error {
	if len(list) > MostComments {
		return wrong("comments", "a document has at most %d of them", MostComments)
	}
	last, roots := "", map[string]*Comment{}
	for _, c := range list {
		root := roots[c.Thread]
		switch {
		case !commentID.MatchString(c.ID) || c.ID <= last:
			return wrong("id", "comments have ids of 12 hexadecimal digits, in their order: not %.20q", c.ID)
		case c.Thread != "" && (root == nil || root.Field != c.Field || c.Resolved != nil):
			return wrong("thread", "%.20q does not begin a thread that %s can answer", c.Thread, c.ID)
		case c.At.IsZero() || c.Resolved != nil && c.Resolved.At.IsZero():
			return wrong("at", "a comment has a time")
		case len(c.Author) > mostAuthor || !utf8.ValidString(c.Author) || strings.ContainsFunc(c.Author, unicode.IsControl):
			return wrong("by", "a name is one line of at most %d bytes", mostAuthor)
		}
		if err := c.Check(); err != nil {
			return err
		}
		if last = c.ID; c.Thread == "" {
			roots[c.ID] = c
		}
	}
	return nil
}
