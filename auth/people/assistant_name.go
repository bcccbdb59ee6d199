package people

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"quire/store"
)

// namesBucket has the name of each assistant by its id, also after it has ended: what it has
// written still says who wrote it.
const namesBucket = "admin.assistant-names"

// mostNames is the maximum number of these names, which is more than there can be
// assistants. When it is reached, the oldest of those that have ended are removed, as many
// as droppedNames.
const (
	mostNames    = MostAccounts*MostAssistants + 5000
	droppedNames = 1000
)

// assistantName is the stored form of a name.
type assistantName struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
}

func readAssistantName(id string, value []byte) (*assistantName, error) {
	n := new(assistantName)
	if err := json.Unmarshal(value, n); err != nil {
		return nil, err
	}
	if !strings.Contains(id, ".") || n.Name == "" {
		return nil, errors.New("it has no account or no name")
	}
	return n, nil
}

// putAssistantName stores the name of a new assistant.
func putAssistantName(tx *store.Tx, a *assistant) error {
	if n, err := tx.CountRecords(namesBucket, ""); err != nil {
		return err
	} else if n >= mostNames {
		if err := dropNames(tx); err != nil {
			return err
		}
	}
	return tx.PutJSON(namesBucket, a.id, assistantName{a.Name, a.Created})
}

// dropNames removes the oldest names of assistants that have ended.
func dropNames(tx *store.Tx) error {
	created := map[string]time.Time{}
	err := tx.Records(namesBucket, func(id string, value []byte) error {
		if live, err := tx.Record(assistantsBucket, id); err != nil || live != nil {
			return err
		}
		n, _ := readAssistantName(id, value) // one that cannot be read counts as the oldest
		if n == nil {
			n = new(assistantName)
		}
		created[id] = n.Created
		return nil
	})
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(created))
	for id := range created {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return created[a].Compare(created[b]) })
	for _, id := range ids[:min(len(ids), droppedNames)] {
		if err := tx.DeleteRecord(namesBucket, id); err != nil {
			return err
		}
	}
	return nil
}
