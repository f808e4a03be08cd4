package runlogtest

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// Ledger knows what every position of one run held, over all observers: one
// (epoch, seq) may have one event and one view only. Safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	entries map[runlog.Position][sha256.Size]byte
	views   map[runlog.Position]string
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{entries: map[runlog.Position][sha256.Size]byte{}, views: map[runlog.Position]string{}}
}

// Entry notes an entry; it fails if the position held another one.
func (l *Ledger) Entry(e runlog.Entry) error {
	sum := sha256.Sum256(e.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, known := l.entries[e.Position]; known && was != sum {
		return fmt.Errorf("%s names two events; one is %.200s", e.Position, e.Data)
	}
	l.entries[e.Position] = sum
	return nil
}

// View notes the hash of the view at a position; it fails if that position had
// another one.
func (l *Ledger) View(at runlog.Position, hash string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, known := l.views[at]; known && was != hash {
		return fmt.Errorf("view at %s hashes %s here and %s elsewhere", at, hash, was)
	}
	l.views[at] = hash
	return nil
}
