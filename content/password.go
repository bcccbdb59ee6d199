package content

import (
	"context"
	"errors"
	"fmt"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// MostPasswords is the maximum number of passwords in one write, including those in
// components. Each costs much memory and time.
const MostPasswords = 16

var errNoHash = errors.New("content: the writer cannot hash passwords")

// givenPassword is a password in an input, with its place there.
type givenPassword struct {
	*body.Given
	request int // index of the request in the write
	at      body.Path
	strict  bool // whether it will be published
}

// hashPasswords replaces the passwords in the inputs of one write with their hashes. This
// takes long, and so must not happen inside a batch. It checks their number and text before
// it hashes the first. It ends with ctx. With an error it returns the request that caused
// it.
func (p *Planner) hashPasswords(ctx context.Context, requests ...Request) (fault int, err error) {
	passwords, fault, err := passwordsOf(requests)
	if err != nil || passwords == nil {
		return fault, err
	}
	if p.hash == nil {
		return 0, errNoHash
	}
	if fault, err := checkPasswords(passwords); err != nil {
		return fault, err
	}
	for _, one := range passwords {
		hash, err := p.hash(ctx, one.Scalar.Text)
		if err != nil {
			return one.request, fmt.Errorf("hashing %s: %w", one.at, err)
		}
		one.Scalar = store.Value{Kind: store.Text, Text: hash}
	}
	return 0, nil
}

// checkPasswords checks the passwords up to the end of the first request with an invalid
// one.
func checkPasswords(passwords []givenPassword) (fault int, err error) {
	var found body.Issues
	for _, one := range passwords {
		if len(found) > 0 && one.request != fault {
			break
		}
		fault = one.request
		body.CheckLimits(one.Attribute, one.Scalar, one.at, one.strict, &found)
	}
	return fault, found.Err()
}

// passwordsOf lists the passwords of one write. If there are too many, the error is a
// *body.ValidationError that names the first surplus one, with its request.
func passwordsOf(requests []Request) (all []givenPassword, fault int, err error) {
	for i, r := range requests {
		if r.Input == nil || !givesPassword(r.Input.Given) {
			continue
		}
		strict := r.Status != store.Draft || !r.Type.DraftAndPublish
		err := r.Input.Each(func(g *body.Given, at body.Path) error {
			if g.Attribute.Kind != schema.Password || g.Scalar.Kind != store.Text {
				return nil
			}
			if len(all) == MostPasswords {
				var found body.Issues
				found.Add(at, nil, "%s is one password too many: a write can give %d at most", at, MostPasswords)
				return found.Err()
			}
			all = append(all, givenPassword{g, i, at, strict})
			return nil
		})
		if err != nil {
			return nil, i, err
		}
	}
	return all, 0, nil
}

// givesPassword reports whether there is a password. It allocates nothing.
func givesPassword(fields []body.Given) bool {
	for i := range fields {
		g := &fields[i]
		if g.Attribute.Kind == schema.Password && g.Scalar.Kind == store.Text {
			return true
		}
		for j := range g.Instances {
			if givesPassword(g.Instances[j].Given) {
				return true
			}
		}
	}
	return false
}
