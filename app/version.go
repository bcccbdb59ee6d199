package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Version returns what the binary was built from, as far as the build recorded it: "quire
// v1.2.3 0a1b2c go1.26.0 linux/amd64".
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

// sources returns the version if it identifies the sources exactly, and otherwise the
// checksum of the binary. It is empty if the binary cannot be read.
func sources() string {
	if version := recordedSources(); version != "" {
		return version
	}
	return ownSum()
}

// ownSum returns the checksum of the binary that this process runs.
var ownSum = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
})

// recordedSources returns the version if it identifies the sources exactly.
func recordedSources() string {
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
