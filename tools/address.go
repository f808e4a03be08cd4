package tools

import (
	"errors"
	"net/netip"
)

// addressPolicy decides about a resolved address right before a connection to it
// is made.
type addressPolicy func(netip.Addr) error

// errNotPublic does not name the address: what names resolve to in there is
// nobody's business.
var errNotPublic = errors.New("the address is not a public one")

// reserved lists what is not on the public internet, or leads to an IPv4 address
// by way of an IPv6 one.
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	"5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func prefixes(list ...string) []netip.Prefix {
	var parsed []netip.Prefix
	for _, p := range list {
		parsed = append(parsed, netip.MustParsePrefix(p))
	}
	return parsed
}

// publicOnly refuses what is reserved, and every IPv6 address outside of the
// range that is given out.
func publicOnly(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || !a.IsGlobalUnicast() {
		return errNotPublic
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return errNotPublic
		}
	}
	return nil
}
