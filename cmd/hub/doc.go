// Command hub is Ringside's one program: it serves a hub, runs agents (work) and
// relays Pi sessions (publish) into one, and shows it all as a demonstration.
//
// Flags and environment variables are read here and nowhere else; everything
// below gets its dependencies passed in. What a person asked for goes to
// standard output (the address of a hub, the link to watch), everything else
// to standard error.
package main
