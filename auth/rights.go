package auth

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
)

// Rights stand for all that a caller may do: two callers have the same rights
// exactly when they may do the same.
type Rights [sha256.Size]byte

// rights keeps those of a caller once they have been asked for.
type rights struct {
	once sync.Once
	sum  Rights
}

// Rights returns the caller's rights.
func (c *Caller) Rights() *Rights {
	c.rights.once.Do(func() {
		listed := make([]string, 0, len(c.listed))
		for p := range c.listed {
			listed = append(listed, p.String())
		}
		slices.Sort(listed)
		c.rights.sum = sha256.Sum256(fmt.Appendf(nil, "%t %q %q", c.every, c.actions, listed))
	})
	return &c.rights.sum
}

// Full reports whether the caller holds every permission, as full-access tokens do.
func (c *Caller) Full() bool { return c.every }
