package provider

import (
	"strings"
	"testing"
)

func TestCheckBaseURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example.com":         "",
		"http://localhost:1234/v1/":       "",
		"http://[::1]:8080":               "",
		"":                                "no http or https",
		"localhost:1234":                  "no http or https",
		"ftp://secret.example.com":        "no http or https",
		"http://":                         "no http or https",
		"http://a b":                      "no http or https",
		"/v1":                             "no http or https",
		"https://user:secret@example.com": "more than scheme",
		"https://secret@example.com":      "more than scheme",
		"https://example.com?key=secret":  "more than scheme",
		"https://example.com/#secret":     "more than scheme",
	} {
		err := CheckBaseURL(address)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", address, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%q: %v, want %q", address, err, want)
		}
	}
}
