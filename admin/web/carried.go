//go:build !noadmin

package web

import "embed"

// Included reports whether the program carries the pages.
const Included = true

// carried is dist, as admin/build makes it.
//
//go:embed dist
var carried embed.FS
