package store

// Clear deletes every entry of a type at once. The feed is not told of them:
// it is for a file that nobody follows, such as the copy that an import works on.
func (tx *Tx) Clear(uid string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(contentBucket+"/"+uid, func() error {
		content := tx.bucket(contentBucket)
		if uid == "" || content == nil || content.Bucket([]byte(uid)) == nil {
			return nil
		}
		tx.dirty = true
		return content.DeleteBucket([]byte(uid))
	})
}
