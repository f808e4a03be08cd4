// Package repo holds tests on the repository as a whole, and nothing else: which
// package may import which, that every package says what it is for, that no
// machine's own paths are committed, and that web/dist was built from the
// sources beside it.
package repo
