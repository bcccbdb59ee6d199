// Package admin serves everything below /admin: the pages of the admin, and the API that they
// use, /admin/api/v1.
//
// Its nouns:
//
//   - Admin is the handler. The server passes it the requests below /admin, after applying its
//     own limits, and logs them.
//   - A Route is a method and a path below /admin/api/v1, with who may call it.
//   - A request is one request for a route and its response.
//
// A request for the API is checked in this order: does it come from a page of the admin (403),
// does the route exist (404, 405), is there a session (401), may the account call the route
// (403), is the body valid (400). Sessions are in a cookie that other sites cannot send: it is
// for the same site only, requests that change something need a header that forms cannot send,
// and no response has a header that allows other origins.
//
// The content API reads and writes content on behalf of the account: see server.ServeAs. The
// package walks no index, compiles no query and plans no write. Package auth/people defines
// accounts and their rights.
package admin
