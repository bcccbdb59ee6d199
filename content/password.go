package content

import (
	"context"
	"errors"
	"fmt"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// MostPasswords bounds the passwords that one write gives, those in components
// included. Each of them costs memory and time that nothing else in a write does.
const MostPasswords = 16

var errNoHash = errors.New("content: the writer cannot hash passwords")

// givenPassword is a password of an input, with its place there.
type givenPassword struct {
	*body.Given
	request int // of the write's
	at      body.Path
	strict  bool // it is going to be published
}

// hashPasswords replaces the passwords of the inputs of one write by their hashes,
// which takes long and so must not happen inside a batch. What limits their number
// and their text is checked before the first is hashed. It ends with ctx. With an error
// it returns which of the requests is at fault.
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

// checkPasswords checks the passwords up to the end of the first request that has one
// at fault.
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

// passwordsOf lists the passwords of one write. Too many are a *body.ValidationError,
// which names the first past the bound; it comes with the request that gives it.
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
				return tooManyPasswords(at)
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

func tooManyPasswords(at body.Path) error {
	var found body.Issues
	found.Add(at, nil, "%s is one password too many: a write can give %d at most", at, MostPasswords)
	return found.Err()
}

// givesPassword reports whether there is a password at all. It allocates nothing.
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
