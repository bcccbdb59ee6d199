package arrange

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/store"
)

// View is a way to look at the list of a type: what is searched, filtered and sorted by, and
// the columns. An account keeps views for itself or, with the right to do so, for all.
type View struct {
	ID      string   `json:"id"` // 16 letters and digits
	Name    string   `json:"name"`
	Shared  bool     `json:"shared"`
	Search  string   `json:"search,omitempty"`
	Filters []Filter `json:"filters,omitempty"`
	Order   string   `json:"order,omitempty"` // a path: "chef.name", with "-" before it if it descends
	Status  string   `json:"status,omitempty"`
	Locale  string   `json:"locale,omitempty"`
	Columns []Column `json:"columns,omitempty"` // empty for those of the list
}

// Filter is one condition of a view on the values at a path.
type Filter struct {
	Path     []string `json:"path"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// Column is one column of a view. The width is in pixels, 0 for the usual one.
type Column struct {
	Key   string `json:"key"`
	Width int    `json:"width,omitempty"`
}

const idLength = 16

// Limits of views.
const (
	MostViews     = 50 // of a type: those of one account, and the shared ones
	MostViewBytes = 16 << 10
	mostFilters   = 20
	mostValues    = 100 // of a filter
	mostSteps     = 5   // of a path
	widest        = 2000
)

// SpaceError: there is no space for another view.
type SpaceError struct{ Message string }

func (e *SpaceError) Error() string { return e.Message }

// ErrNoView: there is no such view.
var ErrNoView = errors.New("arrange: there is no such view")

// Check reports the first part of a view that is not of the right form. Whether its
// attributes exist, and may be seen, is for the caller to check. Its error is a *MisfitError.
func (v *View) Check() error {
	if strings.TrimSpace(v.Name) == "" {
		return wrong("name", "a view has a name")
	}
	for _, one := range []struct{ key, text string }{{"name", v.Name}, {"search", v.Search}, {"order", v.Order}, {"status", v.Status}, {"locale", v.Locale}} {
		if err := checkLine(one.key, one.text); err != nil {
			return err
		}
	}
	if len(v.Filters) > mostFilters {
		return wrong("filters", "a view has at most %d filters", mostFilters)
	}
	for i := range v.Filters {
		if err := v.Filters[i].check(fmt.Sprintf("filters[%d]", i)); err != nil {
			return err
		}
	}
	if len(v.Columns) > mostColumns {
		return wrong("columns", "a list has at most %d columns", mostColumns)
	}
	for i, c := range v.Columns {
		if c.Width < 0 || c.Width > widest {
			return wrong(fmt.Sprintf("columns[%d].width", i), "a column is at most %d pixels wide", widest)
		}
	}
	return nil
}

func (f *Filter) check(at string) error {
	switch {
	case len(f.Path) == 0 || len(f.Path) > mostSteps:
		return wrong(at+".path", "it names an attribute through at most %d others", mostSteps-1)
	case len(f.Values) > mostValues:
		return wrong(at+".values", "a filter has at most %d values", mostValues)
	}
	for _, text := range slices.Concat(f.Path, f.Values, []string{f.Operator}) {
		if err := checkLine(at, text); err != nil {
			return err
		}
	}
	return nil
}

// Paths returns the paths of the attributes that decide which entries the view shows, and in
// which order.
func (v *View) Paths() (paths [][]string) {
	for _, f := range v.Filters {
		paths = append(paths, f.Path)
	}
	if v.Order != "" {
		paths = append(paths, strings.Split(strings.TrimPrefix(v.Order, "-"), "."))
	}
	return paths
}

// ReadView reports whether a stored view can be read.
func ReadView(_ string, value []byte) error { return json.Unmarshal(value, new(View)) }

// divider separates the parts of a key: the account, empty for shared views, the uid of the
// type and the id.
const divider = "/"

func prefixOf(account, uid string, shared bool) string {
	if shared {
		account = ""
	}
	return account + divider + uid + divider
}

// Views returns the views of a type that an account has, its own and then the shared ones. It
// leaves out those that cannot be read.
func (s *Store) Views(account, uid string) (list []*View, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		own, err := views(tx, prefixOf(account, uid, false))
		if err != nil {
			return err
		}
		list, err = views(tx, prefixOf("", uid, true))
		list = append(own, list...)
		return err
	})
	return list, err
}

// views returns the views whose keys begin with prefix.
func views(tx *store.Tx, prefix string) (list []*View, err error) {
	err = tx.RecordsFrom(ViewsBucket, prefix, "", func(_ string, value []byte) bool {
		v := new(View)
		if json.Unmarshal(value, v) == nil {
			list = append(list, v)
		}
		return true
	})
	return list, err
}

// AddView stores a view that has passed Check, and gives it an id. The error is a *SpaceError
// if there is no space.
func (s *Store) AddView(account, uid string, v *View) error {
	v.ID = strings.ToLower(rand.Text()[:idLength])
	return s.db.Update(func(tx *store.Tx) error {
		prefix := prefixOf(account, uid, v.Shared)
		n, err := tx.CountRecords(ViewsBucket, prefix)
		if err == nil && n >= MostViews {
			err = &SpaceError{fmt.Sprintf("There are %d views of this list; remove one of them", MostViews)}
		}
		if err != nil {
			return err
		}
		return putView(tx, prefix+v.ID, v)
	})
}

// SetView stores a view in place of the one with its id, which is shared as it is. Errors:
// ErrNoView, *MisfitError.
func (s *Store) SetView(account, uid string, v *View) error {
	return s.db.Update(func(tx *store.Tx) error {
		key := prefixOf(account, uid, v.Shared) + v.ID
		if value, err := tx.Record(ViewsBucket, key); err != nil {
			return err
		} else if value == nil {
			return ErrNoView
		}
		return putView(tx, key, v)
	})
}

func putView(tx *store.Tx, key string, v *View) error {
	value, err := json.Marshal(v)
	if err == nil && len(value) > MostViewBytes {
		err = wrong("filters", "a view takes at most %d bytes", MostViewBytes)
	}
	if err != nil {
		return err
	}
	return tx.PutRecord(ViewsBucket, key, value)
}

// RemoveView removes a view of an account, or a shared one. The error is ErrNoView if there
// is none.
func (s *Store) RemoveView(account, uid, id string, shared bool) error {
	return s.db.Update(func(tx *store.Tx) error {
		key := prefixOf(account, uid, shared) + id
		if value, err := tx.Record(ViewsBucket, key); err != nil {
			return err
		} else if value == nil {
			return ErrNoView
		}
		return tx.DeleteRecord(ViewsBucket, key)
	})
}

// Clear removes the views and the first screen of an account, with the account.
func Clear(tx *store.Tx, account string) error {
	return errors.Join(tx.DeleteRecords(ViewsBucket, account+divider), tx.DeleteRecord(HomesBucket, account))
}

// isID reports whether a text can be the id of a view.
func isID(id string) bool {
	return len(id) == idLength && !strings.ContainsFunc(id, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}
