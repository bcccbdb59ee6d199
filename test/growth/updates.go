//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
)

// writers is the number of connections over which documents are updated.
const writers = 64

// update gives a number of restaurants, chosen at random, another tagline.
func (f *figures) update(o options, address, token string, g *guide) error {
	var all sync.WaitGroup
	failures := make([]error, writers)
	for n := range writers {
		all.Go(func() { failures[n] = updateSome(address, token, g, n, o.updates/writers) })
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func updateSome(address, token string, g *guide, seed, updates int) error {
	c, err := dial(address)
	if err != nil {
		return err
	}
	defer c.Close()
	some := &guide{random: rand.New(rand.NewPCG(11, uint64(seed)))}
	for range updates {
		body := fmt.Sprintf(`{"data":{"tagline":%q}}`, some.text(8))
		put := fmt.Appendf(nil, "PUT /api/restaurants/%s HTTP/1.1\r\nHost: growth\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			one(some.random, g.published), token, len(body), body)
		if _, err := c.ask(put); err != nil {
			return err
		}
	}
	return nil
}

// newToken creates a token that may do everything.
func newToken(binary, site string) (string, error) {
	out, err := exec.Command(binary, "token", "create", "--name", "growth", "--type", "full-access", site).Output()
	if err != nil {
		return "", fmt.Errorf("making a token: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
