package templates

import "embed"

// Files has a folder for each starter site, by its name, and guide.jsonl, the content
// that the demo gets.
//
//go:embed all:blank all:code all:guide guide.jsonl
var Files embed.FS
