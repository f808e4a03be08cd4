package tools

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

var errRedirects = fmt.Errorf("more than %d redirects", maxRedirects)

// newFetchClient makes the client of one fetch tool. It keeps no connections: a
// call leaves nothing behind.
func newFetchClient(allowed addressPolicy) *http.Client {
	dialer := &net.Dialer{
		Timeout: 10 * time.Second,
		// Called with the resolved address of each attempt: what a name was
		// or will be resolved to does not matter.
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			if network != "tcp4" && network != "tcp6" {
				return errNotPublic
			}
			a, err := netip.ParseAddrPort(address)
			if err != nil {
				return errNotPublic
			}
			return allowed(a.Addr())
		},
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // it would resolve the name elsewhere
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  20 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			// The page before is nobody's business, nor are its credentials.
			next.Header.Del("Referer")
			if err := acceptableURL(next.URL); err != nil {
				return fmt.Errorf("redirect: %w", err)
			}
			return nil
		},
	}
}

// networkReason says what went wrong on the way without naming addresses.
func networkReason(err error) error {
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		switch {
		case d.IsNotFound:
			return errors.New("there is no such host")
		case d.IsTimeout:
			return errors.New("the host's name was not resolved in time")
		}
		return errors.New("the host's name cannot be resolved")
	}
	if c, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		if _, ok := errors.AsType[x509.HostnameError](c.Err); ok {
			return errors.New("the certificate is for another host")
		}
		return errors.New("the certificate is not trusted")
	}
	for _, known := range []struct {
		is  error
		say string
	}{
		{syscall.ECONNREFUSED, "the connection was refused"},
		{syscall.ECONNRESET, "the connection was reset"},
		{syscall.ENETUNREACH, "the network cannot be reached"},
		{syscall.EHOSTUNREACH, "the host cannot be reached"},
	} {
		if errors.Is(err, known.is) {
			return errors.New(known.say)
		}
	}
	for _, ours := range []error{errNotPublic, errRedirects} {
		if errors.Is(err, ours) {
			return ours
		}
	}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return errors.New("there was no answer in time")
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		err = o.Err
	}
	return err
}
