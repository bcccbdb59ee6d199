package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// differences compares a response with the recorded one. Of errors it compares what clients
// can rely on, and only what the recording has.
func differences(want, got any) []string {
	if _, isError := At(want, "error").(map[string]any); !isError {
		return difference(want, got, "body")
	}
	if _, isError := At(got, "error").(map[string]any); !isError {
		return []string{"body: " + Short(got) + ", want an error"}
	}
	wanted, wantedPaths := essentials(want)
	given, givenPaths := essentials(got)
	maps.DeleteFunc(given, func(key string, _ any) bool {
		_, named := wanted[key]
		return !named
	})
	rows := difference(wanted, given, "body")
	for _, path := range wantedPaths {
		if !slices.Contains(givenPaths, path) {
			rows = append(rows, fmt.Sprintf("body.error.details.errors: no error at %q", path))
		}
	}
	return rows
}

// essentials returns an error's data, status and name, the refused key, and the paths of
// the wrong attributes.
func essentials(body any) (members map[string]any, paths []string) {
	members = map[string]any{"data": At(body, "data"), "status": At(body, "error.status"), "name": At(body, "error.name")}
	if details, _ := At(body, "error.details").(map[string]any); details != nil {
		if key, ok := details["key"]; ok {
			members["key"], members["source"] = key, details["source"]
		}
	}
	errors, _ := At(body, "error.details.errors").([]any)
	for _, each := range errors {
		var parts []string
		path, _ := At(each, "path").([]any)
		for _, part := range path {
			parts = append(parts, fmt.Sprint(part))
		}
		paths = append(paths, strings.Join(parts, "."))
	}
	return members, paths
}

// difference lists the places where two plain values differ.
func difference(want, got any, where string) []string {
	wantObject, ok1 := want.(map[string]any)
	gotObject, ok2 := got.(map[string]any)
	if ok1 && ok2 {
		return objectDifference(wantObject, gotObject, where)
	}
	wantList, ok1 := want.([]any)
	gotList, ok2 := got.([]any)
	switch {
	case ok1 && ok2 && len(wantList) != len(gotList):
		return []string{fmt.Sprintf("%s: %d items, want %d", where, len(gotList), len(wantList))}
	case ok1 && ok2:
		var rows []string
		for i := range wantList {
			rows = append(rows, difference(wantList[i], gotList[i], fmt.Sprintf("%s.%d", where, i))...)
		}
		return rows
	case sameScalar(want, got):
		return nil
	}
	return []string{fmt.Sprintf("%s: %s, want %s", where, Short(got), Short(want))}
}

func objectDifference(want, got map[string]any, where string) []string {
	var rows []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[key]; ok {
			rows = append(rows, difference(want[key], value, where+"."+key)...)
		} else {
			rows = append(rows, fmt.Sprintf("%s.%s: missing, want %s", where, key, Short(want[key])))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			rows = append(rows, fmt.Sprintf("%s.%s: unexpected %s", where, key, Short(got[key])))
		}
	}
	return rows
}

// sameScalar compares numbers by value: 1 is 1.0.
func sameScalar(want, got any) bool {
	a, ok1 := want.(json.Number)
	b, ok2 := got.(json.Number)
	if ok1 && ok2 {
		x, ok1 := new(big.Rat).SetString(a.String())
		y, ok2 := new(big.Rat).SetString(b.String())
		return ok1 && ok2 && x.Cmp(y) == 0
	}
	switch want.(type) {
	case map[string]any, []any:
		return false
	}
	switch got.(type) {
	case map[string]any, []any:
		return false
	}
	return want == got
}

// Short returns a value as JSON, cut to what fits in a line.
func Short(value any) string {
	const most = 120
	text, err := encodeJSON(value)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
