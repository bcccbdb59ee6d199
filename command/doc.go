// Package command is the command line of Quire: a file for each command, with its
// flags, its help and what it prints.
//
// Its nouns: a command is a cobra command, made by a function new… and added in
// newRoot; an app.Location is where its site and its data are; an operation is what a
// command does to them. Operations belong to package app, because a running server does
// them for the command that asks over the socket. A failure is an error that says it
// all; any other is a misuse, after which the usage is shown (usage.go).
//
// [Main] runs one command and returns the exit status. Nothing outlives it.
//
// The package holds no rule about sites and content: it parses flags, calls, and prints.
package command
