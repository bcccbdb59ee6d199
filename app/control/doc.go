// Package control is the way from a command to the server that runs on the same
// data folder.
//
// A running server has the data file to itself. What a command wants of the data, it
// asks that server for, through a socket in the data folder which only the folder's
// owner can open:
//
//   - [Listen] makes the socket. It lives as long as the listener, and replaces a
//     socket that a killed server left behind.
//   - A [Server] answers the commands that come in at it, until its context is done.
//   - [Call] is the command's side: one request, one answer. A [NoServerError] says
//     that nobody listens, so that the caller may open the data file itself.
//
// A command is a name and a JSON value; its answer is a JSON value or the text of an
// error. They travel as one POST of HTTP, which gives each command a connection, a
// bound on its size, and an end when the caller goes away.
//
// The package knows no content, no name of a command, and not what a command does:
// package app does, which runs them.
package control
