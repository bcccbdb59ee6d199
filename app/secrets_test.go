package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSecretsAreInTheEnvironmentOrInFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for name, c := range map[string]struct{ value, path, content, want, fault string }{
		"in the environment":   {value: "a secret", want: "a secret"},
		"in a file":            {path: file, content: "a secret\n", want: "a secret"},
		"as long as it can be": {path: file, content: strings.Repeat("x", 4<<10), want: strings.Repeat("x", 4<<10)},
		"nowhere":              {fault: "has neither CONNECT_HOUSE_1_SECRET nor CONNECT_HOUSE_1_SECRET_FILE"},
		"in both":              {value: "a secret", path: file, content: "a secret", fault: "has both"},
		"in no file":           {path: file + "-gone", fault: "CONNECT_HOUSE_1_SECRET_FILE: open"},
		"in a folder":          {path: filepath.Dir(file), fault: "CONNECT_HOUSE_1_SECRET_FILE: read"},
		"in an empty file":     {path: file, content: "\n", fault: "the file is empty"},
		"in a long file":       {path: file, content: strings.Repeat("x", 4<<10+1), fault: "longer than 4096 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, os.WriteFile(file, []byte(c.content), 0o600))
			t.Setenv("CONNECT_HOUSE_1_SECRET", c.value)
			t.Setenv("CONNECT_HOUSE_1_SECRET_FILE", c.path)
			got, err := connectSecret("house-1")
			if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if err != nil && c.content != "" && strings.Contains(err.Error(), "xxxx") {
				t.Error("the error says the secret")
			}
		})
	}
}
