package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBill writes the software bill of materials of a program: each module that Go
// linked into it, with its version and its sum, and the standard library.
func writeBill(out string, p *program) error {
	bill := cdx.NewBOM()
	main := moduleComponent(&p.info.Main)
	main.Type, main.Name, main.Description = cdx.ComponentTypeApplication, p.name, p.os+"/"+p.arch
	bill.Metadata = &cdx.Metadata{Timestamp: p.committed.UTC().Format(time.RFC3339), Component: &main}
	library := debug.Module{Path: "std", Version: strings.TrimPrefix(p.info.GoVersion, "go")}
	parts := []cdx.Component{moduleComponent(&library)}
	for _, m := range p.info.Deps {
		if m.Replace != nil {
			return fmt.Errorf("%s is replaced by %s", m.Path, m.Replace.Path)
		}
		parts = append(parts, moduleComponent(m))
	}
	bill.Components = &parts
	file, err := os.Create(filepath.Join(out, p.file()+".cdx.json"))
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
	return errors.Join(err, file.Close())
}

// moduleComponent describes a module. Its sum is the one of go.sum, SHA-256 of the
// names and sums of its files.
func moduleComponent(m *debug.Module) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}
