package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// clusterReload is how old a cluster's map of slots may be when it is used: the
// library's default of a minute is how long a killed master would be asked.
const clusterReload = time.Second

// servers are the Redis behind a store: one, a master that sentinels name, or a
// cluster.
type servers struct {
	kind   kind
	name   string
	client goredis.UniversalClient
	// cluster is the client again if it is one.
	cluster *goredis.ClusterClient
}

// connect makes the client. It does not wait for Redis.
//
// Calls are repeated by this package, where it is known which may be (see
// Store.call); only the cluster's client repeats by itself, when it is sent to
// another node, which all scripts here allow.
func (c Config) connect() (s servers, err error) {
	t, err := parseTarget(c.URL)
	if err != nil {
		return s, fmt.Errorf("redis: bad URL: %w", err)
	}
	s.kind, s.name = t.kind, t.String()
	switch t.kind {
	case single:
		c.adjust(t.options)
		s.client = goredis.NewClient(t.options)
	case sentinel:
		s.client = goredis.NewFailoverClient(c.failover(t))
	case cluster:
		s.cluster = goredis.NewClusterClient(c.cluster(t))
		s.client = s.cluster
	}
	return s, nil
}

// tls gives what TLS to the nodes needs; who is spoken to is checked by the
// name that was dialled.
func (t target) tls() *tls.Config {
	if !t.secure {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12}
}

func (c Config) adjust(o *goredis.Options) {
	o.ClientName = "ringside"
	o.Protocol = 2
	o.DisableIdentity = true
	o.MaxRetries = -1
	o.DialTimeout = c.Timeouts.Dial
	o.DialerRetries = 1
	o.ReadTimeout, o.WriteTimeout = c.Timeouts.Call, c.Timeouts.Call
	o.PoolTimeout = c.Timeouts.Call
	o.ContextTimeoutEnabled = true
	o.PoolSize = 32
	o.MaxActiveConns = 64
	o.PipelinePoolSize = 2
	o.MaintNotificationsConfig = noMaintenance()
	o.Dialer = dialer(o.TLSConfig, c.Timeouts)
}

func (c Config) failover(t target) *goredis.FailoverOptions {
	return &goredis.FailoverOptions{
		MasterName: t.master, SentinelAddrs: t.nodes,
		SentinelUsername: t.sentinelUser, SentinelPassword: t.sentinelPassword,
		Username: t.user, Password: t.password, DB: t.db,
		ClientName: "ringside", Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, DialTimeout: c.Timeouts.Dial, DialerRetries: 1,
		ReadTimeout: c.Timeouts.Call, WriteTimeout: c.Timeouts.Call, PoolTimeout: c.Timeouts.Call,
		ContextTimeoutEnabled: true, PoolSize: 32, MaxActiveConns: 64, PipelinePoolSize: 2,
		TLSConfig: t.tls(), Dialer: dialer(t.tls(), c.Timeouts),
	}
}

func (c Config) cluster(t target) *goredis.ClusterOptions {
	return &goredis.ClusterOptions{
		Addrs: t.nodes, Username: t.user, Password: t.password,
		ClientName: "ringside", Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, MaxRedirects: 3, DialTimeout: c.Timeouts.Dial, DialerRetries: 1,
		ReadTimeout: c.Timeouts.Call, WriteTimeout: c.Timeouts.Call, PoolTimeout: c.Timeouts.Call,
		ContextTimeoutEnabled: true, PoolSize: 32, MaxActiveConns: 64, PipelinePoolSize: 2, // for each node
		ClusterStateReloadInterval: clusterReload, FailingTimeoutSeconds: 1,
		DisableRoutingPolicies: true, MaintNotificationsConfig: noMaintenance(),
		TLSConfig: t.tls(), Dialer: dialer(t.tls(), c.Timeouts),
	}
}

// publishCommand is the one that scripts publish by. On a cluster a message goes
// to the nodes of its slot only.
func (s servers) publishCommand() string {
	if s.cluster != nil {
		return "SPUBLISH"
	}
	return "PUBLISH"
}

// links is the number of subscriptions that it takes: one, or on a cluster one
// for each partition, as these live on different nodes and move one by one.
func (s servers) links() int {
	if s.cluster != nil {
		return partitions
	}
	return 1
}

// subscription is a connection to where a channel is published.
type subscription struct {
	*goredis.PubSub
	sharded bool
}

// subscription makes one for channels in the slot of the one named. It may
// block as long as one call, to learn where that slot is.
func (s servers) subscription(ctx context.Context, channel string) (subscription, error) {
	if s.cluster == nil {
		return subscription{s.client.Subscribe(ctx), false}, nil
	}
	// A node's own client: the cluster's would go to any node when it connects
	// again, and not say so.
	node, err := s.cluster.MasterForKey(ctx, channel)
	if err != nil {
		return subscription{}, err
	}
	return subscription{node.SSubscribe(ctx), true}, nil
}

func (s subscription) subscribe(ctx context.Context, channels ...string) error {
	if s.sharded {
		return s.SSubscribe(ctx, channels...)
	}
	return s.Subscribe(ctx, channels...)
}

func (s subscription) unsubscribe(ctx context.Context, channels ...string) error {
	if s.sharded {
		return s.SUnsubscribe(ctx, channels...)
	}
	return s.Unsubscribe(ctx, channels...)
}

// publish publishes as the scripts do.
func (s servers) publish(ctx context.Context, channel, message string) error {
	if s.cluster != nil {
		return s.cluster.SPublish(ctx, channel, message).Err()
	}
	return s.client.Publish(ctx, channel, message).Err()
}

// doubt is told when a connection failed: the map of slots may be wrong.
func (s servers) doubt(ctx context.Context) {
	if s.cluster != nil {
		s.cluster.ReloadState(ctx)
	}
}
