// Package provider has what the model streams share whatever the provider: what
// went wrong on the way, in words that show no secrets, and the first look at an
// answer. It knows no SDK; each stream package knows its own.
//
// Everything is bounded by MaxEvent, keeps nothing between calls and is safe for
// concurrent use.
package provider
