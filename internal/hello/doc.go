// Package hello is the program of the built-in image ludgate/hello: a small
// set of commands that show what a container sees and do what a test or a first
// tour asks for (serve, print, sleep, exit, use processor or memory).
//
// The image holds a copy of the running binary under the name /hello. Started
// under that name the binary is this program and nothing else: importing
// internal/hello/entry for its side effect does the switch before main. [Main]
// lists the commands.
//
// As the first process of its process namespace a program has no default signal
// handlers, so the commands install their own: SIGTERM ends serve with code 0
// and everything else with 143, SIGINT likewise with 130.
package hello
