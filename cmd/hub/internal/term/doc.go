// Package term is what a run looks like in a terminal: the screen that hub watch
// shows, the list of runs to choose from, and the lines for pipes.
//
// Promises:
//
//  1. It is pure: state and message give a state, a state and a moment give text.
//     No input, no output, no clock, no goroutine. Who wires it gives it keys, views,
//     what is known of the connection, and the time.
//  2. Nothing that came from outside reaches a terminal as anything but visible
//     characters (Safe, SafeText, SafeJSON). Every piece of text is cleaned where it
//     is drawn, whatever was done to it before, so no way around it can be
//     forgotten. Without colour a screen holds no escape character at all; with
//     colour, only those that lipgloss writes.
//  3. A screen has at most as many lines as the terminal, each at most as wide,
//     for every size from 0 up. Widths are counted as wcwidth does.
//  4. Nothing moves under the reader: any move upwards ends following at once,
//     and from then on the row at the top stays where it is, whatever comes.
//  5. Only what is visible is drawn; a card that is not costs a few comparisons.
//  6. The words are the page's, and say no more than is known: a run is over
//     where an event says so, never because a connection ended.
//
// Nothing here is safe for concurrent use. Views that are handed in are read, and
// must not change afterwards.
package term
