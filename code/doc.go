// Package code runs the JavaScript and TypeScript of a Strapi project: its controllers,
// services, routes, policies, middlewares, lifecycles and settings.
//
// A [Program] is the code of one site folder, loaded into one engine. It lives until the code
// changes or the site closes. Its [Route]s are what its files define, and [Program.Serve]
// answers a [Request] as Strapi would. Writes of a type that it handles pass through
// [Program.Write], which runs middlewares and lifecycles around the operation of the host.
//
// The package finds the files by Strapi's places (project.go), writes the module that imports
// them (entry.go) and gives them the `strapi` object (runtime/*.js). It reads and writes no
// content itself and knows no caller's rights: for both it calls the [engine.Host] that it is
// given.
package code
