package store

// Count is how many entries of each status there are of a type, in all locales.
type Count struct{ Draft, Published int }

// Count counts the entries of a type by their keys; none is read.
func (tx *Tx) Count(uid string) (n Count, err error) {
	readers, err := tx.entryReaders(uid)
	if err != nil {
		return n, err
	}
	err = tx.guard(contentBucket+"/"+uid, func() error {
		for _, r := range readers {
			for key, _ := r.cursor.First(); key != nil; key, _ = r.cursor.Next() {
				_, status, err := splitKey(key)
				if err != nil {
					return tx.corrupt(r.place.String(), r.place.readableKey(key), err)
				}
				if status == Draft {
					n.Draft++
				} else {
					n.Published++
				}
			}
		}
		return nil
	})
	return n, err
}
