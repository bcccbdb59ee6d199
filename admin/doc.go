// Package admin answers what is below /admin: the pages of the admin, and the API that
// they use, /admin/api/v1.
//
// Its nouns:
//
//   - Admin is the handler. The server passes it the requests below /admin, after its own
//     limits and with its log; it is mounted there.
//   - A Route is a method and a path below /admin/api/v1, with who may call it.
//   - An exchange is one request for a route and its answer.
//
// A request for the API is checked in this order: does it come from a page of the admin
// itself (403), does the route exist (404, 405), is there a session (401), may the account
// call the route (403), does the body make sense (400). Sessions are held by a cookie,
// which no other site can have sent: it is of the same site only, requests that change
// something need a header that forms cannot send, and no answer has a header for other
// origins.
//
// Content is read and written by the content API itself, in the name of the account: see
// server.ServeAs. The package walks no index, compiles no query and plans no write. What
// accounts are and what they may do is the business of admin/account.
package admin
