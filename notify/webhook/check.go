package webhook

import (
	"encoding/json"
	"fmt"

	"quire/content/event"
	"quire/content/verify"
	"quire/store"
)

// Check reports which records of webhooks cannot be read. Errors are the store's.
func Check(tx *store.Tx) ([]verify.Fault, error) { return examine(tx, false) }

// Repair removes records of webhooks that cannot be read, and reports them. A hook whose
// position was removed continues with the next commit. Nobody else may be using the store.
func Repair(tx *store.Tx) (removed []verify.Fault, err error) { return examine(tx, true) }

func examine(tx *store.Tx, repair bool) (found []verify.Fault, err error) {
	readable := map[string]func(id string, value []byte) error{
		hooksBucket:     func(id string, value []byte) error { _, err := parseHook(id, value); return err },
		positionsBucket: func(_ string, value []byte) error { _, err := event.ParsePosition(string(value)); return err },
		attemptsBucket:  func(_ string, value []byte) error { return json.Unmarshal(value, new(tried)) },
	}
	for _, bucket := range []string{hooksBucket, positionsBucket, attemptsBucket} {
		err := tx.Records(bucket, func(id string, value []byte) error {
			wrong := readable[bucket](id, value)
			if wrong == nil {
				return nil
			}
			found = append(found, verify.Fault{Place: fmt.Sprintf("%s %q", bucket, id), Message: wrong.Error() + "; it is removed", Count: 1})
			if !repair {
				return nil
			}
			return tx.DeleteRecord(bucket, id)
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
