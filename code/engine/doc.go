// Package engine runs JavaScript that belongs to the owner of a site: it bundles a project
// with esbuild and runs it in QuickJS. It knows nothing of Strapi.
//
// An [Engine] is one virtual machine and one event loop, as in Node: a single goroutine runs
// the code, and what waits (calls of the [Host], fetch, timers) runs beside it and settles
// promises on the loop. Everything that the code can make large has a bound, see bounds.go.
//
// esbuild lowers async functions to generators that js/quire/core.js drives. It also replaces
// Promise.prototype.then. So AsyncLocalStorage follows the code.
package engine
