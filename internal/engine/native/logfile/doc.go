// Package logfile keeps what containers print.
//
// Each run of a container has a file of its own, and one more when it is
// rotated: <logs>/<container>/<run>.log and <run>.log.1. A line of a file is
//
//	2026-01-02T03:04:05.678901234Z stdout F the text
//
// with F for a whole line and P for a piece of one: what is longer than
// [MaxLine] is cut, and what a program prints without an end of line before it
// ends stays a piece. A file is rotated at [MaxFile], and together the files of
// a container, all its runs included, stay within [MaxContainer]: the oldest go
// first.
//
// The [Writer] takes bytes from a container's pipes and never makes it wait for
// a reader: [Read] works on the files.
package logfile
