package projector

import "strings"

// assignRule matches values that are given a secret's name, in the spellings of
// shells, headers, JSON, YAML and code: api_key=…, "password": "…",
// Authorization: Bearer …. It is filed under the sign between name and value.
type assignRule struct{}

// minSecret is the shortest value, in bytes, that is taken for a secret.
const minSecret = 8

// What kind of secret a name promises. A token is a secret only where its value
// has a digit: "token" names many harmless things.
const (
	kindSecret        = "secret"
	kindToken         = "token"
	kindAuthorization = "authorization"
	kindCookie        = "cookie"
)

func (assignRule) match(s string, i int) (span, found) {
	kind := secretKind(nameBefore(s, i))
	if kind == "" {
		return span{}, none
	}
	start, quote := valueAfter(s, i)
	header := kind == kindAuthorization || kind == kindCookie
	more := valueBytes(quote, header)
	end := more.run(s[:min(len(s), start+maxUndecided)], start)
	if kind == kindAuthorization {
		start += schemeLen(s[start:end])
	}
	value := s[start:end]
	if more == bareValue && end < len(s) && s[end] == '(' || harmless(value) {
		return span{}, none // a call in code, or a reference
	}
	if len(value) < minSecret || kind == kindToken && !hasDigit(value) {
		if end == len(s) {
			return span{start: start}, open
		}
		return span{}, none
	}
	sp := span{start: start, end: more.run(s, end), with: marker(kind), secret: true, edge: edgeSwallow, more: more}
	if more == bareValue && len(value) < maxUndecided {
		sp.edge = edgeHold // it may become a call
	}
	return sp, whole
}

// nameBefore returns the name that ends before the sign at s[i], without the
// quotes and brackets around it.
func nameBefore(s string, i int) string {
	for n := 0; n < 2 && i > 0 && (s[i-1] == ' ' || s[i-1] == '\t'); n++ {
		i--
	}
	for n := 0; n < 3 && i > 0 && strings.IndexByte("\"'`\\]", s[i-1]) >= 0; n++ {
		i--
	}
	j := i
	for j > 0 && i-j < maxNameBefore && nameBytes[s[j-1]] {
		j--
	}
	return s[j:i]
}

const maxNameBefore = 64

// The byte classes of names and values: constant tables.
var (
	nameBytes = classOf("azAZ09", "_-.")
	// bareValue ends at what separates values where no quotes do.
	bareValue = classNot("\"'`,;&)}]<>|\\( \t\r\n")
	// headerValue has spaces; in a shell command it ends with its quote.
	headerValue = classNot("\"'`\\\r\n")
	doubleQuote = classNot("\"\\\r\n")
	singleQuote = classNot("'\\\r\n")
	backQuote   = classNot("`\\\r\n")
)

func classNot(stops string) *class {
	c := classOf("\x00\xff", "")
	for i := range len(stops) {
		c[stops[i]] = false
	}
	return c
}

// valueAfter returns where the value begins after the sign at s[i], and the
// quote that opens it (0: none).
func valueAfter(s string, i int) (start int, quote byte) {
	i++
	for n := 0; n < 2 && i < len(s) && (s[i] == '=' || s[i] == '>'); n++ {
		i++
	}
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	if i+1 < len(s) && s[i] == '\\' && s[i+1] == '"' { // JSON inside a JSON string
		return i + 2, '"'
	}
	if i < len(s) && strings.IndexByte("\"'`", s[i]) >= 0 {
		return i + 1, s[i]
	}
	return i, 0
}

// valueBytes returns the bytes that a value may have.
func valueBytes(quote byte, header bool) *class {
	switch {
	case quote == '"':
		return doubleQuote
	case quote == '\'':
		return singleQuote
	case quote == '`':
		return backQuote
	case header:
		return headerValue
	}
	return bareValue
}

// schemeLen returns the length of the scheme that begins an Authorization
// header's value: "Bearer " is no secret.
func schemeLen(value string) int {
	word, _, ok := strings.Cut(value, " ")
	if !ok || len(word) > 20 || hasDigit(word) && !strings.HasPrefix(word, "AWS4") {
		return 0
	}
	return len(word) + 1
}

// secretKind says what kind of secret the name promises, "" for none.
func secretKind(name string) string {
	if len(name) < 4 {
		return ""
	}
	var flat [maxNameBefore]byte
	n := 0
	for i := 0; i < len(name) && n < len(flat); i++ {
		if b := name[i]; alnum[b] {
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			flat[n] = b
			n++
		}
	}
	f := string(flat[:n])
	switch f {
	case "authorization", "proxyauthorization":
		return kindAuthorization
	case "cookie", "setcookie":
		return kindCookie
	}
	for _, suffix := range []string{
		"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "privatekey", "signingkey",
		"encryptionkey", "credential", "credentials", "connectionstring",
	} {
		if strings.HasSuffix(f, suffix) {
			return kindSecret
		}
	}
	if f == "pass" || strings.HasSuffix(strings.ToLower(name), "_pass") {
		return kindSecret
	}
	if strings.HasSuffix(f, "token") || isEnvName(name) && secretEnvName(name) {
		return kindToken
	}
	return ""
}

// isEnvName tells whether name is spelled like an environment variable.
func isEnvName(name string) bool {
	return strings.Contains(name, "_") && strings.ToUpper(name) == name
}

// harmless tells whether a value is a reference, a placeholder or hidden
// already, not the secret itself.
func harmless(v string) bool {
	if v == "" {
		return false
	}
	if strings.IndexByte("$<{%*", v[0]) >= 0 || len(v) >= minSecret && strings.Count(v, v[:1]) == len(v) {
		return true
	}
	for _, prefix := range []string{markerStart, "process.env", "os.environ", "os.Getenv", "os.getenv", "import.meta", "..."} {
		if strings.HasPrefix(v, prefix) {
			return true
		}
	}
	return false
}
