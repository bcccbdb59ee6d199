package admin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"quire/schema"
	"quire/server"
)

// What was deleted of late, as far as the log of changes names it and the history has it.

func deletedRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/deleted/:uid", handler: showDeleted}}
}

// The bounds of the list.
const (
	mostDeleted      = 25 // documents that are listed
	mostDeletedTried = 50 // documents that are looked at, some of which may be there again
	mostVersions     = 20 // versions of each among which that with the title is
)

// deletedItem is a document that there is no more.
type deletedItem struct {
	DocumentID string   `json:"documentId"`
	Locale     *string  `json:"locale"` // that of the title
	Title      string   `json:"title"`
	At         string   `json:"at"`
	By         *actorOf `json:"by"`
	Revision   uint64   `json:"revision"` // of the write that deleted it
}

// pastVersion is what the history says of a version.
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

// rank says how well a version stands for its document: that in the default locale first,
// and of these the draft.
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
		return x.data(items) // it has one document at a time, and its history at its place
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

// deletedDocument is what is known of a document that was deleted; nil where it is there,
// in whatever locale, and where the account sees nothing of its history.
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

// pastTitle is what a document was called in a version; empty where that is not known.
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
	x.held -= 3 * answer.body.Cap() // nothing of it is kept but the title
	main := t.MainField(x.session.Identity().Caller.Sight(t).Sees)
	if value := version.Data[main.Name]; main.System == schema.NotSystem && value != nil {
		err = json.Unmarshal(value, &title)
	}
	return title, err
}
