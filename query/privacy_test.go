package query

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"quire/query/params"
	"quire/schema"
)

// TestPrivate names every private attribute and every password, in every
// parameter, on every way that leads to it. All of that is refused, before
// anything has been read, with an error that names the key and does not depend
// on the values compared with.
func TestPrivate(t *testing.T) {
	for _, one := range []struct {
		name  string
		site  *schema.Site
		steps int // of the longest way
	}{{"site", loadSite(t), 3}, {"more private", privateSite(t), 2}} {
		t.Run(one.name, func(t *testing.T) {
			site, c := one.site, NewCompiler(one.site)
			requested := 0
			for _, a := range hiddenOf(site) {
				before := requested
				for _, root := range site.Types {
					for _, way := range waysTo(root, a.Owner, one.steps) {
						requested += refuseAll(t, c, everything{}, root, way, a)
					}
				}
				if requested == before {
					t.Errorf("no way leads to %s of %s", a.Name, a.Owner.UID)
				}
			}
			t.Logf("%d queries refused", requested)
		})
	}
}

// privateSite is the site with more kinds of private attributes: in a dynamic
// zone's component, a relation on either side, a component, a media attribute.
func privateSite(t *testing.T) *schema.Site {
	t.Helper()
	source, files := os.DirFS("../testdata/site"), fstest.MapFS{}
	hide := map[string][]string{
		"src/components/section/cta.json": {"href", "image"}, "src/components/section/quote.json": {"chef"},
		"src/api/chef/content-types/chef/schema.json":             {"restaurants"},
		"src/api/category/content-types/category/schema.json":     {"parent", "code"},
		"src/api/restaurant/content-types/restaurant/schema.json": {"location", "rating", "vegan", "founded"},
	}
	err := fs.WalkDir(source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(source, path)
		files[path] = &fstest.MapFile{Data: withPrivate(t, data, hide[path])}
		return err
	})
	check(t, err)
	site, err := schema.Load(files)
	check(t, err)
	return site
}

func withPrivate(t *testing.T, data []byte, names []string) []byte {
	t.Helper()
	if len(names) == 0 {
		return data
	}
	var file map[string]any
	check(t, json.Unmarshal(data, &file))
	for _, name := range names {
		file["attributes"].(map[string]any)[name].(map[string]any)["private"] = true
	}
	data, err := json.Marshal(file)
	check(t, err)
	return data
}

func hiddenOf(site *schema.Site) []*schema.Attribute {
	var hidden []*schema.Attribute
	for _, types := range [][]*schema.Type{site.Types, site.Components} {
		for _, t := range types {
			for _, a := range t.Attributes {
				if a.Private || a.Kind == schema.Password {
					hidden = append(hidden, a)
				}
			}
		}
	}
	return hidden
}

// hop is one step of a way: an attribute, and for a dynamic zone the component.
type hop struct {
	a  *schema.Attribute
	to *schema.Type
}

// waysTo are the ways of at most limit steps from one type to another.
func waysTo(from, to *schema.Type, limit int) [][]hop {
	var ways [][]hop
	if from == to {
		ways = append(ways, nil)
	}
	if limit == 0 {
		return ways
	}
	for _, a := range behindAny(from) {
		targets := a.Zone
		if a.Kind != schema.DynamicZone {
			targets = []*schema.Type{behindOf(a)}
		}
		for _, t := range targets {
			for _, rest := range waysTo(t, to, limit-1) {
				ways = append(ways, append([]hop{{a, t}}, rest...))
			}
		}
	}
	return ways
}

// refuseAll asks for a hidden attribute in every manner and returns in how many.
func refuseAll(t *testing.T, c *Compiler, access schema.Access, root *schema.Type, way []hop, a *schema.Attribute) int {
	t.Helper()
	var queries []string
	for split := range len(way) + 1 {
		prefix := ""
		for i, step := range way[:split] {
			prefix += map[bool]string{true: "populate", false: "[populate]"}[i == 0] + "[" + step.a.Name + "]"
			if step.a.Kind == schema.DynamicZone {
				prefix += "[on][" + step.to.UID + "]"
			}
		}
		queries = append(queries, manners(prefix, way[split:], a)...)
	}
	if names := namesOf(way, a); names != nil {
		queries = append(queries, "populate="+strings.Join(names, "."), "populate[0]=localizations&populate[1]="+strings.Join(names, "."))
	}
	n := 0
	for _, query := range queries {
		if strings.Contains(query, "localizations&") && !root.Localized {
			continue
		}
		n++
		texts := map[string]bool{}
		for _, value := range []string{"5ecret", "1"} {
			texts[refusal(t, c, access, root, strings.ReplaceAll(query, "VALUE", value), a)] = true
		}
		if len(texts) != 1 {
			t.Errorf("%s?%s: the error depends on the value: %v", root.UID, query, texts)
		}
	}
	return n
}

func refusal(t *testing.T, c *Compiler, access schema.Access, root *schema.Type, query string, a *schema.Attribute) string {
	t.Helper()
	n, err := params.Parse(query, params.Limits{})
	check(t, err)
	_, err = c.Compile(root, n, access, Options{})
	var key *KeyError
	if !errors.As(err, &key) || key.Key != a.Name {
		t.Errorf("%s?%s: %v", root.UID, query, err)
		return ""
	}
	return key.Error()
}

// namesOf is the way in words, with the attribute at its end; nil where it leads
// through a dynamic zone, which has no such words.
func namesOf(way []hop, a *schema.Attribute) []string {
	var names []string
	for _, step := range way {
		if step.a.Kind == schema.DynamicZone {
			return nil
		}
		names = append(names, step.a.Name)
	}
	return append(names, a.Name)
}

// manners are the queries that name an attribute at the end of a way, in every
// parameter, under what has been populated so far.
func manners(populated string, way []hop, a *schema.Attribute) []string {
	param := func(name string) string {
		if populated == "" {
			return name
		}
		return populated + "[" + name + "]"
	}
	var queries []string
	if len(way) == 0 {
		queries = append(queries, param("fields")+"="+a.Name, param("fields")+"[0]=id&"+param("fields")+"[1]="+a.Name, param("fields")+"=*,"+a.Name,
			param("populate")+"="+a.Name, param("populate")+"[0]="+a.Name, param("populate")+"["+a.Name+"]=true", param("populate")+"["+a.Name+"][fields]=id")
	}
	names := namesOf(way, a)
	if names == nil {
		return queries
	}
	dotted, brackets := strings.Join(names, "."), "["+strings.Join(names, "][")+"]"
	queries = append(queries, param("sort")+"="+dotted, param("sort")+"=id:desc,"+dotted+":desc", param("sort")+brackets+"=asc", param("sort")+"[0]"+brackets+"=desc")
	for _, group := range []string{"", "[$and][0]", "[$or][1]", "[$not]", "[$not][0]", "[$or][0][$and][0][$not]"} {
		for _, operator := range []string{"", "[$eq]", "[$startsWith]", "[$containsi]", "[$gt]", "[$in][0]", "[$null]", "[$not][$eq]"} {
			outside := param("filters") + group + brackets + operator + "=VALUE"
			inside := param("filters") + "[" + strings.Join(names[:len(names)-1], "][") + "]" + group + "[" + a.Name + "]" + operator + "=VALUE"
			queries = append(queries, outside)
			if len(names) > 1 && group != "" {
				queries = append(queries, inside)
			}
		}
	}
	return queries
}
