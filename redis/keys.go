package redis

import (
	"hash/fnv"
	"strconv"
)

// partitions is the number of partitions that runs are spread over. Everything
// of one run is in one partition, so that a script can touch it on a cluster.
const partitions = 64

// tags are the partitions' hash tags: one in each 64th of a cluster's slots, so
// that any number of nodes gets an even share. They are part of every key: they
// must never change.
var tags = [partitions]int{
	10, 18, 113, 342, 29, 21, 3, 122, 69, 61, 72, 162, 50, 58, 153, 43,
	11, 19, 112, 343, 28, 20, 2, 123, 68, 60, 73, 163, 51, 59, 152, 42,
	12, 102, 111, 119, 133, 23, 1, 9, 173, 63, 70, 78, 52, 142, 49, 41,
	13, 103, 110, 118, 132, 22, 0, 8, 172, 62, 71, 79, 53, 143, 48, 40,
}

// partitionOf tells where a run lives.
func partitionOf(run string) int {
	h := fnv.New32a()
	h.Write([]byte(run))
	return int(h.Sum32() % partitions)
}

// names makes the names of keys and channels.
type names struct{ prefix string }

func (n names) partition(p int) string { return n.prefix + ":{" + strconv.Itoa(tags[p]) + "}:" }

// runKeys are the names that belong to one run.
type runKeys struct {
	// keys are what every script gets: meta, stream, snapshot, outputs, the
	// partition's index and its expiry times.
	keys         []string
	channel      string
	indexChannel string
	// blob is the prefix of the keys of outputs.
	blob string
}

func (n names) run(run string) runKeys {
	tag := n.partition(partitionOf(run))
	of := tag + "r:" + run
	return runKeys{
		keys:         []string{of + ":m", of + ":s", of + ":p", of + ":b", tag + "i", tag + "it"},
		channel:      tag + "c:" + run,
		indexChannel: tag + "ic",
		blob:         of + ":b:",
	}
}

func (k runKeys) meta() string { return k.keys[0] }

// indexKeys are the names for scripts that touch a partition's index and no run.
func (n names) indexKeys(p int) runKeys {
	tag := n.partition(p)
	index := tag + "i"
	return runKeys{keys: []string{index, index, index, index, index, tag + "it"}, indexChannel: tag + "ic"}
}

// probe is a channel on which one link hears itself.
func (n names) probe(p int, id string) string { return n.partition(p) + "probe:" + id }
