//go:build noadmin

package web

import "embed"

// Included reports whether the program contains the pages.
const Included = false

var carried embed.FS
