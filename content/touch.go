package content

import (
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// The number of links that a write may affect is limited, because no other write can be
// planned or applied meanwhile. These count: the links that its body names, the links that
// it changes in other entries and, per hundred, the unchanged links that are written again
// with them. A write beyond the limit is refused while it is planned, when nothing has
// been done. An import has the file to itself and is not limited.

// besides is how many unchanged links count as one changed link.
const besides = 100

// touched is how many links the write affects, and through which attribute of the written
// entry.
type touched struct {
	links   int
	through *schema.Attribute
}

// touch counts links that the write will change.
func (op *operation) touch(links int) error {
	op.touched.links += links
	if most := op.site.Settings.Limits.WriteLinks; op.touched.links > most && op.complete && op.touched.through != nil {
		return tooManyLinks(body.At(op.touched.through.Name), most)
	}
	return nil
}

// touchBeside counts the links of a list that is written again.
func (op *operation) touchBeside(list []store.Edge) error { return op.touch(len(list) / besides) }

// countLinks adds the links in an input to those before it, and refuses the input if they
// are more than one write may have.
func countLinks(site *schema.Site, in *body.Input, before int) (named int, err error) {
	if in == nil {
		return before, nil
	}
	named = before
	most := site.Settings.Limits.WriteLinks
	err = in.Each(func(g *body.Given, at body.Path) error {
		if g.Links != nil {
			named += len(g.Links.Set) + len(g.Links.Connect) + len(g.Links.Disconnect)
		}
		if named > most {
			return tooManyLinks(at, most)
		}
		return nil
	})
	return named, err
}

func tooManyLinks(at body.Path, most int) error {
	var found body.Issues
	found.Add(at, nil, "%s changes more than %d links in one write, those of drafts and of published versions counted; change fewer at a time", at, most)
	return found.Err()
}
