package redistest

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
)

// slots is the number of slots of a Redis cluster.
const slots = 16384

// Cluster is a cluster of three masters with a replica each.
type Cluster struct {
	t testing.TB
	// Nodes are the servers: three that begin as masters, then their replicas.
	Nodes []*Server
	ids   map[*Server]string
	bus   map[*Server]string
}

// StartCluster starts one and waits until it serves every slot.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t, ids: map[*Server]string{}, bus: map[*Server]string{}}
	for range 6 {
		_, bus, _ := net.SplitHostPort(freeAddr(t))
		n := Start(t, Config("cluster-enabled", "yes", "cluster-port", bus, "cluster-node-timeout", "2000",
			"cluster-require-full-coverage", "no", "repl-diskless-sync-delay", "0", "cluster-replica-validity-factor", "0"))
		c.Nodes = append(c.Nodes, n)
		c.ids[n], c.bus[n] = n.Do("CLUSTER", "MYID"), bus
	}
	for i, n := range c.Nodes[:3] {
		n.Do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		n.Do("CLUSTER", "ADDSLOTSRANGE", i*slots/3, (i+1)*slots/3-1)
	}
	for _, n := range c.Nodes[1:] {
		host, port, _ := net.SplitHostPort(n.addr)
		c.Nodes[0].Do("CLUSTER", "MEET", host, port, c.bus[n])
	}
	for _, n := range c.Nodes {
		await(t, "the nodes to know each other", func() bool {
			known := n.Do("CLUSTER", "NODES")
			return strings.Count(known, "\n") == 6 && !strings.Contains(known, "handshake")
		})
	}
	for i, n := range c.Nodes[3:] {
		n.Do("CLUSTER", "REPLICATE", c.ids[c.Nodes[i]])
	}
	for i, n := range c.Nodes {
		await(t, "the cluster", func() bool {
			return strings.Contains(n.Do("CLUSTER", "INFO"), "cluster_state:ok") &&
				(i < 3 && strings.Contains(n.Do("INFO", "replication"), "state=online") ||
					i >= 3 && strings.Contains(n.Do("INFO", "replication"), "master_link_status:up"))
		})
	}
	return c
}

// URL is what redis.Open takes: it names two of the nodes.
func (c *Cluster) URL() string {
	return "redis+cluster://" + c.Nodes[0].addr + "," + c.Nodes[1].addr
}

// FlushAll empties every master.
func (c *Cluster) FlushAll() {
	c.t.Helper()
	for _, n := range c.Nodes {
		if n.isMaster() {
			n.FlushAll()
		}
	}
}

// SlotOf is the slot of a key.
func (c *Cluster) SlotOf(key string) int {
	c.t.Helper()
	n, err := strconv.Atoi(c.any().Do("CLUSTER", "KEYSLOT", key))
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// any is a node that answers.
func (c *Cluster) any() *Server {
	c.t.Helper()
	for _, n := range c.Nodes {
		if n.answers() {
			return n
		}
	}
	c.t.Fatal("no node answers")
	return nil
}

// MasterOf is the node that serves a slot, nil if none does now.
func (c *Cluster) MasterOf(slot int) *Server {
	c.t.Helper()
	for line := range strings.SplitSeq(c.any().Do("CLUSTER", "NODES"), "\n") {
		f := strings.Fields(line)
		if len(f) < 9 || !strings.Contains(f[2], "master") || strings.Contains(f[2], "fail") {
			continue
		}
		for _, r := range f[8:] {
			from, to, many := strings.Cut(r, "-")
			a, err := strconv.Atoi(from)
			b := a
			if many {
				b, _ = strconv.Atoi(to)
			}
			if err == nil && a <= slot && slot <= b {
				return c.byID(f[0])
			}
		}
	}
	return nil
}

func (c *Cluster) byID(id string) *Server {
	for n, i := range c.ids {
		if i == id {
			return n
		}
	}
	return nil
}

// AwaitFailover waits until another node than the old one serves the slot.
func (c *Cluster) AwaitFailover(slot int, old *Server) *Server {
	c.t.Helper()
	var now *Server
	await(c.t, fmt.Sprintf("another master of slot %d", slot), func() bool {
		now = c.MasterOf(slot)
		return now != nil && now != old && now.answers()
	})
	return now
}

// Migrate moves a slot with its keys from the node that has it to another
// master, as redis-cli would.
func (c *Cluster) Migrate(slot int) {
	c.t.Helper()
	from := c.MasterOf(slot)
	var to *Server
	for _, n := range c.Nodes {
		if n != from && n.isMaster() {
			to = n
			break
		}
	}
	host, port, _ := net.SplitHostPort(to.addr)
	to.Do("CLUSTER", "SETSLOT", slot, "IMPORTING", c.ids[from])
	from.Do("CLUSTER", "SETSLOT", slot, "MIGRATING", c.ids[to])
	for {
		keys := strings.Fields(strings.Trim(from.Do("CLUSTER", "GETKEYSINSLOT", slot, 100), "[]"))
		if len(keys) == 0 {
			break
		}
		args := []any{"MIGRATE", host, port, "", 0, 5000, "KEYS"}
		for _, k := range keys {
			args = append(args, k)
		}
		from.Do(args...)
	}
	for _, n := range []*Server{to, from} {
		n.Do("CLUSTER", "SETSLOT", slot, "NODE", c.ids[to])
	}
}
