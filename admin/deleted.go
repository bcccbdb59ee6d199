package admin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"quire/schema"
	"quire/server"
)

// Recently deleted documents, as far as the log of changes has them and the history has
// their versions.

func deletedRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/deleted/:uid", handler: showDeleted}}
}

// Limits of the list.
const (
	mostDeleted      = 25 // documents in the list
	mostDeletedTried = 50 // documents that are examined, some of which may exist again
	mostVersions     = 20 // versions of each document that are searched for the title
)

// deletedItem is a deleted document.
type deletedItem struct {
	DocumentID string   `json:"documentId"`
	Locale     *string  `json:"locale"` // of the title
	Title      string   `json:"title"`
	At         string   `json:"at"`
	By         *actorOf `json:"by"`
	Revision   uint64   `json:"revision"` // of the delete
}

// pastVersion is a version in the history.
type pastVersion struct {
	Revision uint64  `json:"revision"`
	Locale   *string `json:"locale"`
	Status   string  `json:"status"`
	Removed  *struct {
		Revision uint64   `json:"revision"`
		At       string   `json:"at"`
		Actor    *actorOf `json:"actor"`
	} `json:"removed"`
}

// rank says how well a version represents its document: versions in the default locale
// first, and among these the draft.
func (v *pastVersion) rank(standard string) (rank int) {
	if v.Locale == nil || *v.Locale == standard {
		rank = 2
	}
	if v.Status == "draft" {
		rank++
	}
	return rank
}

func showDeleted(x *exchange) error {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return err
	}
	items, seen := []*deletedItem{}, map[string]bool{}
	if t.Kind == schema.Single {
		return x.data(items) // it has one document at a time, and its history is at its path
	}
	var ids []string
	err = x.admin.Server.EachRecent(x.request, x.session.Identity().Caller, func(c server.RecentChange) bool {
		if c.Removed && c.Type == t.UID && !seen[c.DocumentID] {
			seen[c.DocumentID] = true
			ids = append(ids, c.DocumentID)
		}
		return len(ids) < mostDeletedTried
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if len(items) == mostDeleted {
			break
		}
		i, err := x.deletedDocument(t, id)
		if err != nil {
			return err
		}
		if i != nil {
			items = append(items, i)
		}
	}
	return x.data(items)
}

// deletedDocument describes a deleted document; nil if it exists in any locale, and if the
// account may not see its history.
func (x *exchange) deletedDocument(t *schema.Type, documentID string) (*deletedItem, error) {
	path := t.Route() + "/" + documentID
	if states, err := x.states(&document{t: t, path: path}); err != nil || len(states) > 0 {
		return nil, err
	}
	settings := &x.admin.Server.Site(x.request).Settings
	limit := strconv.Itoa(min(mostVersions, settings.MaxLimit))
	answer, err := x.get(path+"/history", url.Values{"pagination[limit]": {limit}}, http.StatusNotFound, http.StatusForbidden)
	if err != nil || answer.status != http.StatusOK {
		return nil, err
	}
	var past struct{ Data []pastVersion }
	if err := answer.into(&past); err != nil || len(past.Data) == 0 || past.Data[0].Removed == nil {
		return nil, err
	}
	last := past.Data[0]
	for _, v := range past.Data {
		if v.Removed != nil && v.Removed.Revision == last.Removed.Revision && v.rank(settings.DefaultLocale) > last.rank(settings.DefaultLocale) {
			last = v
		}
	}
	i := &deletedItem{DocumentID: documentID, Locale: last.Locale, At: last.Removed.At, By: last.Removed.Actor, Revision: last.Removed.Revision}
	i.Title, err = x.pastTitle(t, path, last)
	return i, err
}

// pastTitle returns the title of a document in a version; empty if unknown.
func (x *exchange) pastTitle(t *schema.Type, path string, v pastVersion) (title string, err error) {
	query := url.Values{"status": {v.Status}}
	if v.Locale != nil {
		query.Set("locale", *v.Locale)
	}
	answer, err := x.get(path+"/history/"+strconv.FormatUint(v.Revision, 10), query, http.StatusNotFound)
	if err != nil || answer.status == http.StatusNotFound {
		return "", err
	}
	var version struct{ Data map[string]json.RawMessage }
	if err := answer.into(&version); err != nil {
		return "", err
	}
	x.held -= 3 * answer.body.Cap() // only the title is kept of it
	main := t.MainField(x.session.Identity().Caller.Sight(t).Sees)
	if value := version.Data[main.Name]; main.System == schema.NotSystem && value != nil {
		err = json.Unmarshal(value, &title)
	}
	return title, err
}
