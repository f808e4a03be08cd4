package redistest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	masterName = "mymaster"
	// replicaUser is who replicas log in as, so that a test can shut them out.
	replicaUser = "replica"
	replicaPass = "replica-pass"
)

// Sentinels is a master with two replicas that three sentinels watch over.
type Sentinels struct {
	t testing.TB
	// Nodes are the Redis servers, Watchers the sentinels.
	Nodes, Watchers []*Server
}

// StartSentinels starts them and waits until a failover would work.
func StartSentinels(t testing.TB) *Sentinels {
	t.Helper()
	s := &Sentinels{t: t}
	for i := range 3 {
		options := []Option{Config("masteruser", replicaUser, "masterauth", replicaPass, "repl-diskless-sync-delay", "0",
			"repl-backlog-size", "16mb", "replica-priority", fmt.Sprint(100+i)), user()}
		if i > 0 {
			options = append(options, replicaOf(s.Nodes[0]))
		}
		s.Nodes = append(s.Nodes, Start(t, options...))
	}
	s.await("the replicas", func() bool { return strings.Count(s.Nodes[0].Do("INFO", "replication"), "state=online") == 2 })
	for range 3 {
		w := New(t)
		w.watch(s.Nodes[0])
		w.Restart()
		s.Watchers = append(s.Watchers, w)
	}
	for _, w := range s.Watchers {
		s.await("the sentinels", func() bool {
			m := w.Do("SENTINEL", "MASTER", masterName)
			return strings.Contains(m, "num-slaves 2") && strings.Contains(m, "num-other-sentinels 2")
		})
	}
	return s
}

func user() Option {
	return func(s *Server) {
		s.args = append(s.args, "--user", replicaUser, "on", ">"+replicaPass, "~*", "&*", "+@all")
	}
}

func replicaOf(master *Server) Option {
	host, port, _ := net.SplitHostPort(master.addr)
	return func(s *Server) { s.args = append(s.args, "--replicaof", host, port) }
}

// watch turns the server into a sentinel.
func (s *Server) watch(master *Server) {
	s.t.Helper()
	host, port, _ := net.SplitHostPort(master.addr)
	_, own, _ := net.SplitHostPort(s.addr)
	conf := filepath.Join(s.dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\ndir %s\nsentinel monitor %s %s %s 2\n", own, s.dir, masterName, host, port) +
		fmt.Sprintf("sentinel down-after-milliseconds %[1]s 1000\nsentinel failover-timeout %[1]s 5000\n", masterName)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.args = []string{conf, "--sentinel"}
}

// URL is what redis.Open takes.
func (s *Sentinels) URL() string {
	var addrs []string
	for _, w := range s.Watchers {
		addrs = append(addrs, w.addr)
	}
	return "redis+sentinel://" + strings.Join(addrs, ",") + "/" + masterName
}

// Master is the node that the sentinels name.
func (s *Sentinels) Master() *Server {
	s.t.Helper()
	addr := s.Watchers[0].Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName)
	for _, n := range s.Nodes {
		host, port, _ := net.SplitHostPort(n.addr)
		if addr == "["+host+" "+port+"]" {
			return n
		}
	}
	s.t.Fatalf("the sentinels name %s, which is none of the nodes", addr)
	return nil
}

// AwaitFailover waits until another node than the old one is master.
func (s *Sentinels) AwaitFailover(old *Server) *Server {
	s.t.Helper()
	var now *Server
	s.await("another master", func() bool {
		now = s.Master()
		return now != old && now.isMaster()
	})
	return now
}

// isMaster asks a server that may be away, or be about to change: sentinels cut
// the connections of one that they promote.
func (s *Server) isMaster() bool {
	if !s.answers() {
		return false
	}
	role, err := s.client.do("ROLE")
	return err == nil && strings.HasPrefix(fmt.Sprint(role), "[master")
}

// ShutReplicasOut ends the replication from a node, and nothing else: its
// replicas fall behind from here on.
func (s *Sentinels) ShutReplicasOut(master *Server) {
	s.t.Helper()
	master.Do("ACL", "SETUSER", replicaUser, "off")
	master.Do("CLIENT", "KILL", "TYPE", "replica")
	s.await("the replicas to be out", func() bool {
		return strings.Contains(master.Do("INFO", "replication"), "connected_slaves:0")
	})
}

func (s *Sentinels) await(what string, done func() bool) {
	s.t.Helper()
	await(s.t, what, done)
}

// await polls: these servers tell by no other way.
func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startWithin); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}
