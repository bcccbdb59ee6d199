package settings_test

import (
	"strings"
	"testing"
)

func TestCluster(t *testing.T) {
	for text, want := range map[string][2]bool{
		`{}`: {true, false},
		`{"cluster": {"reads": {"credential": "local"}}}`:                                     {false, false},
		`{"cluster": {"reads": {"credential": "linearizable", "anonymous": "linearizable"}}}`: {true, true},
	} {
		if c := readSettings(t, text).Cluster.Linearizable; c.Credential != want[0] || c.Anonymous != want[1] {
			t.Errorf("%s: %+v", text, c)
		}
	}
	for text, place := range map[string]string{
		`{"cluster": {"reads": {"credential": "fresh"}}}`: "cluster.reads.credential",
		`{"cluster": {"reads": {"anonymous": true}}}`:     "cluster.reads.anonymous",
		`{"cluster": {"reads": {"users": "local"}}}`:      "cluster.reads.users",
		`{"cluster": {"nodes": 3}}`:                       "cluster.nodes",
	} {
		if _, err := tryToRead(text); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
