package tools

import (
	"maps"
	"slices"
	"strings"
)

// passed lists the variables that every command may see: where programs and
// their caches are, and how to write text. Nothing that usually holds a secret, and
// no proxy, which often has a password in it.
func passed(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
		"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME",
		"NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// environ is the environment of a command: what of the workspace's may pass, and
// what keeps programs from asking, paging and colouring.
func (b *toolbox) environ(mark string) []string {
	vars := map[string]string{"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	for _, v := range b.Environ {
		name, value, ok := strings.Cut(v, "=")
		if ok && !strings.ContainsRune(v, 0) && (passed(name) || slices.Contains(b.PassEnviron, name)) {
			vars[name] = value
		}
	}
	maps.Copy(vars, map[string]string{
		"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", markName: mark,
	})
	var list []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		list = append(list, name+"="+vars[name])
	}
	return list
}

// markName is the variable that tells the processes of one call from all others.
const markName = "RINGSIDE_CALL"
