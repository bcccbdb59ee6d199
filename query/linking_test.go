package query

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"quire/schema"
)

// A role that hides an attribute, or one of a component on the way, hides the links
// through it, and the title where that is what it hides.
func TestLinksHiddenFromARole(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 200)
	c := NewCompiler(site)
	chef := site.Type(chefUID)
	requested := func(access schema.Access) string {
		t.Helper()
		l, err := c.CompileLinking(chef, nil, access)
		check(t, err)
		text, found, err := l.Append(context.Background(), x.Snapshot(), fmt.Sprintf("chef%020d", 0), nil)
		if err != nil || !found {
			t.Fatalf("%t %v", found, err)
		}
		return string(text)
	}
	if text := requested(everything{}); !strings.Contains(text, `"title":`) || !strings.Contains(text, `"path":"chef"`) {
		t.Fatalf("without a role: %s", text)
	}
	if text := requested(hiding(t, site, map[string][]string{restaurantUID: {"name"}})); strings.Contains(text, "Yarrow Kelp 0") || !strings.Contains(text, `"path":"chef"`) {
		t.Errorf("with hidden names: %s", text)
	}
	if text := requested(hiding(t, site, map[string][]string{restaurantUID: {"chef", "sections"}})); !strings.Contains(text, `"data":[]`) {
		t.Errorf("with hidden relations: %s", text)
	}
	if text := requested(hiding(t, site, map[string][]string{restaurantUID: {"chef"}, chefUID: {"name"}})); strings.Contains(text, `"path":"chef"`) {
		t.Errorf("with one hidden relation: %s", text)
	}
}
