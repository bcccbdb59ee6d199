// Package control connects a command to the server that runs on the same data folder.
//
// A running server has exclusive access to the data file. A command that needs the data
// sends a request to the server, through a socket in the data folder that only the
// folder's owner can open:
//
//   - [Listen] makes the socket. It exists as long as the listener, and replaces a
//     socket that a killed server has left.
//   - A [Server] runs the commands that arrive at it, until its context is done.
//   - [Call] is the command's side: one request, one response. A [NoServerError] means
//     that no server listens, so the caller can open the data file itself.
//
// A command is a name and a JSON value; its response is a JSON value or the text of an
// error. Each command is one HTTP POST, and so has a connection, a maximum size, and ends
// when the caller disconnects.
//
// The package knows no content and no commands; package app runs them.
package control
