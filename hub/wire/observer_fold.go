package wire

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/view"
)

// fold takes one message into the view. It returns what is wrong with it; the
// view is then not to be trusted any more.
func (o *Observer) fold(m HubMessage) *SyncError {
	switch m := m.(type) {
	case Snapshot:
		if m.Run == o.cfg.Run {
			return o.foldSnapshot(m)
		}
	case Events:
		if m.Run == o.cfg.Run && o.synced {
			return o.foldEvents(m)
		}
	case Merged:
		if m.Run == o.cfg.Run && o.synced {
			return o.foldMerged(m)
		}
	case CheckAt:
		if m.Run == o.cfg.Run && o.synced {
			return o.compare(m)
		}
	}
	return nil
}

func (o *Observer) foldSnapshot(m Snapshot) *SyncError {
	v, err := view.Decode(m.View)
	if err != nil {
		return o.syncError("snapshot at %s: %s", m.Position, err)
	}
	o.view, o.at, o.synced = v, m.Position, true
	o.stats.Snapshots++
	o.backoff.Reset()
	return nil
}

func (o *Observer) foldEvents(m Events) *SyncError {
	if bad := o.follows(m.Epoch, m.Seq); bad != nil {
		return bad
	}
	for i, raw := range m.Events {
		if bad := o.apply(m.Seq+int64(i), raw); bad != nil {
			return bad
		}
	}
	o.backoff.Reset()
	return nil
}

func (o *Observer) foldMerged(m Merged) *SyncError {
	if bad := o.follows(m.Epoch, m.From); bad != nil {
		return bad
	}
	for _, entry := range m.Entries {
		var seq int64 // DecodeHub has checked that they are in order
		if err := json.Unmarshal(entry[0], &seq); err != nil {
			return o.syncError("merged entry: %s", err)
		}
		if bad := o.apply(seq, entry[1]); bad != nil {
			return bad
		}
	}
	o.at.Seq = m.To
	o.stats.Merged++
	o.stats.Skipped += m.To - m.From + 1 - int64(len(m.Entries))
	o.backoff.Reset()
	return nil
}

// follows checks that a message goes on where the view stands.
func (o *Observer) follows(epoch string, seq int64) *SyncError {
	switch {
	case epoch != o.at.Epoch:
		return o.syncError("events of another epoch, %s/%d, without a snapshot", clip(epoch, maxEpoch), seq)
	case seq > o.at.Seq+1:
		return o.syncError("gap: the next event has seq %d", seq)
	case seq <= o.at.Seq:
		return o.syncError("double: an event with seq %d came again", seq)
	}
	return nil
}

func (o *Observer) apply(seq int64, raw jsontext.Value) *SyncError {
	e, err := view.DecodeEvent(raw)
	if err != nil {
		return o.syncError("event with seq %d: %s", seq, err)
	}
	o.view.Apply(&e)
	o.at.Seq = seq
	o.stats.Events++
	return nil
}

// compare checks the view's hash. A hash for another position says nothing.
func (o *Observer) compare(m CheckAt) *SyncError {
	if m.Position != o.at {
		return nil
	}
	if own := o.view.Hash(); own != m.Hash {
		return o.syncError("hash: the hub has %s, this view %s", m.Hash, own)
	}
	o.stats.Checks++
	return nil
}
