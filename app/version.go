package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version says what the binary was built from, as far as the build recorded it:
// "quire v1.2.3 0a1b2c go1.26.0 linux/amd64".
func Version() string {
	name, revision, changed := "(devel)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			name = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " with changes"
			}
		}
	}
	return fmt.Sprintf("quire %s%s%s %s %s/%s", name, revision, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// sources is the version where it says exactly which sources the binary was built
// from, and empty where it does not.
func sources() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	recorded, changed := strings.HasPrefix(info.Main.Version, "v"), false
	for _, s := range info.Settings {
		recorded = recorded || s.Key == "vcs.revision"
		changed = changed || s.Key == "vcs.modified" && s.Value == "true"
	}
	if !recorded || changed || strings.HasSuffix(info.Main.Version, "+dirty") {
		return ""
	}
	return Version()
}
