package structure

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A file of deploy is used where there is no Quire to ask. Each flag that it gives is one
// that the program with the tag cluster defines.
func TestDeployedFlagsExist(t *testing.T) {
	defined := map[string]bool{}
	flag := regexp.MustCompile(`\.(?:Bool|String|Int64|Duration)\w*\(&?[\w.]+, "([a-z-]+)"|\.(?:Bool|String|Int64|Duration)\("([a-z-]+)"`)
	folder, err := os.ReadDir("command")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range folder {
		text, err := os.ReadFile("command/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range flag.FindAllStringSubmatch(string(text), -1) {
			defined[m[1]+m[2]] = true
		}
	}
	for _, path := range []string{"deploy/compose.cluster.yaml", "deploy/kubernetes.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		given := 0
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "#") || strings.Contains(line, "posix") {
				continue // of other programs
			}
			for _, m := range regexp.MustCompile(`[ "\[]--([a-z-]+)`).FindAllStringSubmatch(line, -1) {
				if given++; !defined[m[1]] {
					t.Errorf("%s gives --%s, which no command has", path, m[1])
				}
			}
		}
		if given < 10 {
			t.Errorf("%s gives %d flags; is it still read?", path, given)
		}
	}
}
