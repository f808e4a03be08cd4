// Package redistest starts real redis-server processes for tests: on a free
// loopback port, in a directory of their own, stopped at the end of the test.
// They can be killed, paused, restarted and emptied. Proxy is a small TCP proxy
// that cuts connections or swallows replies.
//
// A test that needs Redis fails where redis-server is missing; it does not skip.
package redistest
