package redis

import "github.com/prometheus/client_golang/prometheus"

var _ prometheus.Collector = (*Store)(nil)

var (
	linksWanted = prometheus.NewDesc("ringside_redis_links", "Subscriptions to Redis that are needed.", nil, nil)
	linksUp     = prometheus.NewDesc("ringside_redis_links_up", "Subscriptions to Redis that are up.", nil, nil)
	feedsNow    = prometheus.NewDesc("ringside_redis_runs_followed", "Runs that are followed in Redis.", nil, nil)
	linksLost   = prometheus.NewDesc("ringside_redis_links_lost_total", "Subscriptions to Redis that were lost, by reason.", []string{"reason"}, nil)
	gapsFilled  = prometheus.NewDesc("ringside_redis_gaps_total", "Batches missed live and read from the log.", nil, nil)
	checksHit   = prometheus.NewDesc("ringside_redis_checks_behind_total", "Positions that only a check found behind.", nil, nil)
	ringDropped = prometheus.NewDesc("ringside_redis_batches_dropped_total", "Buffered batches that a follower had not read when room was needed.", nil, nil)
	badMessages = prometheus.NewDesc("ringside_redis_bad_messages_total", "Messages in Redis that were not understood.", nil, nil)
)

// Describe implements prometheus.Collector.
func (s *Store) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, out) }

// Collect implements prometheus.Collector. It blocks for nothing.
func (s *Store) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, t prometheus.ValueType, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, t, float64(v), labels...)
	}
	var needed, up int64
	for _, l := range s.links {
		if l.needed() {
			needed++
		}
		if l.isUp() {
			up++
		}
	}
	s.mu.Lock()
	feeds := int64(len(s.feeds))
	s.mu.Unlock()
	send(linksWanted, prometheus.GaugeValue, needed)
	send(linksUp, prometheus.GaugeValue, up)
	send(feedsNow, prometheus.GaugeValue, feeds)
	st := s.Stats()
	for reason, n := range map[string]int64{
		"probe": st.Unheard, "silence": st.Silent, "moved": st.Moved,
		"error": st.Links - st.Unheard - st.Silent - st.Moved,
	} {
		send(linksLost, prometheus.CounterValue, n, reason)
	}
	send(gapsFilled, prometheus.CounterValue, st.Gaps)
	send(checksHit, prometheus.CounterValue, st.Checks)
	send(ringDropped, prometheus.CounterValue, st.Dropped)
	send(badMessages, prometheus.CounterValue, st.Bad)
}
