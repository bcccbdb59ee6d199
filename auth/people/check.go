package people

import (
	"fmt"

	"quire/auth"
	"quire/auth/people/desk"
	"quire/content/arrange"
	"quire/content/review"
	"quire/content/search"
	"quire/content/verify"
	"quire/store"
)

// buckets say how the records of each bucket are read, in the order of reports. A record that is
// refused lets nobody in, and changes no form.
var buckets = []struct {
	name string
	read func(key string, value []byte) error
}{
	{accountsBucket, func(_ string, value []byte) error { _, err := readRecord(value); return err }},
	{rolesBucket, func(id string, value []byte) error { _, err := readRole(id, value); return err }},
	{sessionsBucket, func(key string, value []byte) error { _, err := readSession(key, value); return err }},
	{linksBucket, func(_ string, value []byte) error { _, err := readLink(value); return err }},
	{passkeysBucket, func(key string, value []byte) error { _, err := readPasskey(key, value); return err }},

	{assistantsBucket, func(id string, value []byte) error { _, err := readAssistant(id, value); return err }},
	{namesBucket, func(id string, value []byte) error { _, err := readAssistantName(id, value); return err }},

	{desk.PreferencesBucket, desk.ReadPreferences},
	{desk.AutosavesBucket, desk.ReadNote},
	{desk.TalliesBucket, desk.ReadTally},

	{arrange.Bucket, arrange.ReadArrangement},
	{arrange.ViewsBucket, arrange.ReadView},
	{arrange.HomesBucket, arrange.ReadHome},

	{review.WorkflowsBucket, review.ReadWorkflow},
	{review.StatesBucket, review.ReadState},
	{review.CommentsBucket, review.ReadComment},
	{review.WaitingBucket, review.ReadWaiting},

	{search.WordsBucket, search.ReadWords},
	{search.MissedBucket, search.ReadMissed},
}

// Check examines the accounts of the admin in a data file. Records that cannot be read
// count as missing, and Repair removes them. Errors are the store's.
func Check(tx *store.Tx) (found []verify.Fault, err error) {
	for _, bucket := range buckets {
		err := tx.Records(bucket.name, func(key string, value []byte) error {
			if fault := bucket.read(key, value); fault != nil {
				found = append(found, verify.Fault{Place: fmt.Sprintf("%s %.16q", bucket.name, key), Message: "it cannot be read: " + fault.Error(), Count: 1})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	err = tx.Records(factorsBucket, func(id string, value []byte) error {
		if _, fault := readFactor(value); fault != nil {
			const fix = "it cannot be read, so that its account cannot sign in: `quire admin reset --second-factor` removes it: "
			found = append(found, verify.Fault{Place: fmt.Sprintf("%s %.16q", factorsBucket, id), Message: fix + fault.Error(), Count: 1, Note: true})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	notes, err := checkAccounts(tx)
	return append(found, notes...), err
}

// checkAccounts finds accounts that nobody can sign in to or that may do nothing, and
// reports if there is no owner.
func checkAccounts(tx *store.Tx) (found []verify.Fault, err error) {
	accounts, owners, lost := 0, 0, 0
	err = tx.Records(accountsBucket, func(id string, value []byte) error {
		r, err := readRecord(value)
		if err != nil {
			return nil // reported already
		}
		accounts++
		if r.isOwner() {
			owners++
		}
		if _, roles, err := (&change{Tx: tx}).account(id); err == nil && len(roles) == 0 {
			lost++
		}
		return nil
	})
	if lost > 0 {
		found = append(found, verify.Fault{Place: "accounts of the admin", Message: "their roles were deleted, and they may do nothing: an owner can give them another one", Count: lost, Note: true})
	}
	if accounts > 0 && owners == 0 {
		found = append(found, verify.Fault{Place: "accounts of the admin", Message: "no account is an owner: `quire admin create` creates one", Count: 1, Note: true})
	}
	return found, err
}

// Repair removes records that cannot be read, and reports them. Nobody else may be using
// the store.
func Repair(tx *store.Tx) (removed []verify.Fault, err error) {
	for _, bucket := range buckets {
		faults, err := auth.RemoveUnreadable(tx, bucket.name, bucket.read)
		if err != nil {
			return nil, err
		}
		removed = append(removed, faults...)
	}
	if len(removed) > 0 {
		err = desk.DropTallies(tx)
	}
	return removed, err
}
