// Package web serves the pages of the admin: one HTML page for every path below /admin, and the
// scripts and styles that it loads.
//
// admin/build builds these from src, and they are committed in dist, compressed, and part of
// the program. Their URLs contain a hash of all of them, so that browsers can keep them forever
// and a page never mixes two versions. During development they come from a folder instead, and
// the page reloads when one of them changes.
//
// The page contains nothing about accounts and content: it requests everything from
// /admin/api/v1. The package does not depend on other packages of the program.
//
// Programs that are built with the tag noadmin contain no pages.
package web
