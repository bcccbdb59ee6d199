package release

// BoundTo sets how many bytes the steps of a release may store.
func (c *Calendar) BoundTo(bytes int) { c.bound = bytes }
