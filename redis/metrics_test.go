package redis

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ringside-hub/ringside/redis/redistest"
)

// TestMetrics: a registry that checks takes the store's numbers, and they are right.
func TestMetrics(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, Config{URL: server.URL(), Timeouts: quick})
	must(t, s.linkOf(0).await(t.Context()))
	reg := prometheus.NewPedanticRegistry()
	must(t, reg.Register(s))
	value := func(name string) (sum float64) {
		t.Helper()
		families, err := reg.Gather()
		must(t, err)
		for _, f := range families {
			if f.GetName() != name {
				continue
			}
			for _, m := range f.GetMetric() {
				sum += m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
			return sum
		}
		t.Fatalf("no %s", name)
		return 0
	}
	if up, wanted := value("ringside_redis_links_up"), value("ringside_redis_links"); up != 1 || wanted != 1 {
		t.Errorf("%v of %v links are up, want 1 of 1", up, wanted)
	}
	server.Kill()
	for s.linkOf(0).isUp() {
		s.sleep(t.Context(), tickEvery)
	}
	if up, lost := value("ringside_redis_links_up"), value("ringside_redis_links_lost_total"); up != 0 || lost != 1 {
		t.Errorf("after a kill: %v links up, %v lost", up, lost)
	}
}
