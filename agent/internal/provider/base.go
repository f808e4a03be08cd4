package provider

import (
	"errors"
	"net/url"
)

// CheckBaseURL says what is wrong with the address of a provider's API: it is to
// be http or https, and hold no secret, since addresses get logged. The error
// never has the address in it.
func CheckBaseURL(address string) error {
	base, err := url.Parse(address)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return errors.New("Options.BaseURL is no http or https address")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return errors.New("Options.BaseURL has more than scheme, host and path: keys belong in Options.APIKey or Options.Header")
	}
	return nil
}
