package hub

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// policy decides which hosts and origins a hub answers. It is what stands
// between a hub on somebody's machine and the web pages that the same person
// has open: a page of another origin can send requests here, and with DNS
// rebinding even under a name of its own.
type policy struct {
	hosts   []string // beside the loopback names; lower case, no port; "*" allows all
	origins []string // beside the request's own; scheme://host[:port], lower case
}

// host says whether a Host header is one that this hub is reached by.
func (p *policy) host(header string) bool {
	host := strings.TrimSuffix(strings.ToLower(hostname(header)), ".")
	if host == "" {
		return false
	}
	if isLoopbackHost(host) {
		return true
	}
	for _, h := range p.hosts {
		if h == "*" || h == host {
			return true
		}
	}
	return false
}

// hostname takes the port and brackets off a Host header.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

func isLoopbackHost(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// The verdicts on a request's Origin.
type verdict int

const (
	originOK verdict = iota
	originForeign
	originDoubled
)

// origin compares scheme, host and port of the request's Origin with the
// request's own, or with the configured ones. Programs send none.
func (p *policy) origin(r *http.Request) verdict {
	values := r.Header.Values("Origin")
	switch {
	case len(values) == 0:
		return originOK
	case len(values) > 1:
		return originDoubled
	}
	origin := strings.ToLower(values[0])
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return originForeign
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if u.Scheme == scheme && withPort(scheme, u.Host) == withPort(scheme, strings.ToLower(r.Host)) {
		return originOK
	}
	if slices.Contains(p.origins, origin) {
		return originOK
	}
	return originForeign
}

// withPort adds the scheme's own port where there is none.
func withPort(scheme, host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(hostname(host), port)
}
