//go:build !noadmin

package web

import "embed"

// Included reports whether the program contains the pages.
const Included = true

// carried is dist, the output of admin/build.
//
//go:embed dist
var carried embed.FS
