// Command build bundles the front end of the admin, admin/web/src, into admin/web/dist,
// which the program embeds. It is a module of its own, so that the program does not
// depend on the bundler.
//
//	go run .         builds dist: the same bytes from the same sources, on any machine
//	go run . -check  builds, and fails if dist in the repository differs or is over budget
//	go run . -watch  builds into admin/web/.dev, again after each change of a source
//	go run . -test   builds the unit tests into admin/web/test/.built
//
// It bundles what is installed in admin/web/node_modules: run npm ci --ignore-scripts there
// once.
package main
