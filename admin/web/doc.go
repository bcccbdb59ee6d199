// Package web serves the pages of the admin: one HTML page for every path below /admin,
// and the scripts and styles that it loads.
//
// These are built from src by admin/build and committed in dist, compressed; the program
// carries them. Their URLs have the hash of all of them, so that browsers keep them for
// good and a page never mixes two versions. For development they come from a folder
// instead, and the page loads itself again when one of them changes.
//
// The page knows nothing of accounts and content: what it shows comes from /admin/api/v1.
// The package knows nothing of what is below it in the program.
//
// Programs that are built with the tag noadmin carry no pages.
package web
