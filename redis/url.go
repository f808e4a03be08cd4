package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// kind is how the servers behind a URL belong together.
type kind int

const (
	single kind = iota
	sentinel
	cluster
)

func (k kind) String() string { return [...]string{"single", "sentinel", "cluster"}[k] }

// target is what a URL says.
type target struct {
	kind kind
	// options are those of a single Redis.
	options *goredis.Options

	// The rest is for sentinel and cluster.
	secure   bool
	nodes    []string // host:port
	user     string
	password string
	// master is the name that sentinels know the master by, db its database.
	master string
	db     int
	// The sentinels' own credentials.
	sentinelUser     string
	sentinelPassword string
}

// The ports that are meant where a node names none.
const (
	redisPort    = "6379"
	sentinelPort = "26379"
	maxNodes     = 64
)

var masterRule = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// parseTarget reads a URL. Its errors say which part is wrong, and never repeat
// what may be a password: they speak of nodes by number.
func parseTarget(raw string) (target, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return target{}, errors.New("no scheme: redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://")
	}
	t := target{secure: strings.HasPrefix(scheme, "rediss")}
	switch scheme {
	case "redis", "rediss", "unix":
		options, err := goredis.ParseURL(raw)
		if err != nil {
			return target{}, withoutURL(err)
		}
		t.options = options
		return t, nil
	case "redis+sentinel", "rediss+sentinel":
		t.kind = sentinel
	case "redis+cluster", "rediss+cluster":
		t.kind = cluster
	default:
		return target{}, fmt.Errorf("scheme %.40q: redis, rediss, unix, redis+sentinel, rediss+sentinel, redis+cluster or rediss+cluster", scheme)
	}
	return t, t.parseNodes(rest)
}

// parseNodes reads [user:password@]host[:port],…[/path][?query]: net/url knows
// one host only.
func (t *target) parseNodes(rest string) error {
	if strings.Contains(rest, "#") {
		return errors.New("a # in the URL: write it as %23")
	}
	rest, query, _ := strings.Cut(rest, "?")
	var userinfo string
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		userinfo, rest = rest[:at], rest[at+1:]
	}
	hosts, path, _ := strings.Cut(rest, "/")
	for _, parse := range []func() error{
		func() error { return t.parseUser(userinfo) },
		func() error { return t.parseHosts(hosts) },
		func() error { return t.parsePath(path) },
		func() error { return t.parseQuery(query) },
	} {
		if err := parse(); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) parseUser(userinfo string) (err error) {
	user, password, _ := strings.Cut(userinfo, ":")
	if t.user, err = url.PathUnescape(user); err != nil {
		return errors.New("the user: a % that is not followed by two hexadecimal digits")
	}
	if t.password, err = url.PathUnescape(password); err != nil {
		return errors.New("the password: a % that is not followed by two hexadecimal digits")
	}
	return nil
}

func (t *target) parseHosts(hosts string) error {
	port := redisPort
	if t.kind == sentinel {
		port = sentinelPort
	}
	all := strings.Split(hosts, ",")
	if len(all) > maxNodes {
		return fmt.Errorf("%d nodes: at most %d", len(all), maxNodes)
	}
	for i, node := range all {
		host, p, err := net.SplitHostPort(node)
		if err != nil { // without a port
			host, p = strings.TrimSuffix(strings.TrimPrefix(node, "["), "]"), port
			if strings.Contains(host, ":") && !strings.HasPrefix(node, "[") {
				return fmt.Errorf("node %d: host:port, or [address]:port for IPv6", i+1)
			}
		}
		if host == "" || strings.ContainsAny(host, " \t\r\n[]@") {
			return fmt.Errorf("node %d has no host", i+1)
		}
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("node %d: the port is a number from 1 to 65535", i+1)
		}
		t.nodes = append(t.nodes, net.JoinHostPort(host, p))
	}
	return nil
}

func (t *target) parsePath(path string) error {
	if t.kind == cluster {
		if path != "" && path != "0" {
			return errors.New("a path: a cluster has one database only, and no master's name")
		}
		return nil
	}
	master, db, more := strings.Cut(path, "/")
	if !masterRule.MatchString(master) {
		return errors.New("the path is the name that the sentinels know the master by: /NAME or /NAME/DB")
	}
	t.master = master
	if more {
		n, err := strconv.ParseUint(db, 10, 16)
		if err != nil {
			return errors.New("the database is a number, 0 to 65535")
		}
		t.db = int(n)
	}
	return nil
}

func (t *target) parseQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the part after ? is not name=value&…")
	}
	for name, v := range values {
		if len(v) > 1 {
			return fmt.Errorf("parameter %.40q is there twice", name)
		}
		switch {
		case t.kind == sentinel && name == "sentinel_username":
			t.sentinelUser = v[0]
		case t.kind == sentinel && name == "sentinel_password":
			t.sentinelPassword = v[0]
		case t.kind == sentinel:
			return fmt.Errorf("parameter %.40q: sentinel_username or sentinel_password", name)
		default:
			return fmt.Errorf("parameter %.40q: a cluster's URL takes none", name)
		}
	}
	return nil
}

// String names the target for logs, without credentials.
func (t target) String() string {
	switch t.kind {
	case sentinel:
		return "sentinel " + t.master + "/" + strconv.Itoa(t.db)
	case cluster:
		return "cluster " + t.nodes[0]
	default:
		return t.options.Addr
	}
}
