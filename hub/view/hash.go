package view

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names of the hashed entities.
const (
	header         = "header"
	activeEntity   = "active"
	timelineEntity = "timeline"
	messagePrefix  = "m/"
	toolPrefix     = "c/"
	turnPrefix     = "t/"
	noticePrefix   = "n/"
)

// touch makes an entity's digest be computed again.
func (v *View) touch(name string) { delete(v.digests, name) }

func (v *View) touchTurn(n int64)  { v.touch(turnEntity(n)) }
func (v *View) touchNotice(i int)  { v.touch(noticeEntity(i)) }
func noticeEntity(i int) string    { return noticePrefix + strconv.Itoa(i) }
func turnEntity(turn int64) string { return turnPrefix + strconv.FormatInt(turn, 10) }

// headerFields is the part of the view that belongs to no entity of its own.
type headerFields struct {
	RunStatus string      `json:"runStatus,omitzero"`
	Turn      int64       `json:"turn,omitzero"`
	Worker    string      `json:"worker,omitzero"`
	Outcome   string      `json:"outcome,omitzero"`
	Run       *Run        `json:"run,omitzero"`
	Queue     *QueueState `json:"queue,omitzero"`
	Strays    int64       `json:"strays,omitzero"`
	Trimmed   *Trimmed    `json:"trimmed,omitzero"`
}

// Digest is one hashed entity: its name and the SHA-256 of its canonical JSON,
// in hex.
type Digest struct{ Name, Sum string }

// Hash proves what the view holds: the SHA-256 (hex) of the lines
// "name digest\n" of all entities, sorted by bytes. Two views with the same
// hash show the same. Only what changed since the last call is encoded.
func (v *View) Hash() string {
	h := sha256.New()
	for _, d := range v.Digests() {
		h.Write([]byte(d.Name + " " + d.Sum + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Digests returns the digests of all entities, sorted by name: what Hash is
// made of, and how two views are compared entity by entity.
func (v *View) Digests() []Digest {
	all := make([]Digest, 0, 3+len(v.Msgs)+len(v.Tools)+len(v.Turns)+len(v.Notices))
	add := func(name string, entity func() any) {
		sum, known := v.digests[name]
		if !known {
			sum = digest(entity())
			v.digests[name] = sum
		}
		all = append(all, Digest{name, sum})
	}
	add(header, func() any {
		return &headerFields{v.RunStatus, v.Turn, v.Worker, v.Outcome, v.Run, v.Queue, v.Strays, v.Trimmed}
	})
	if v.Active != nil {
		add(activeEntity, func() any { return v.Active })
	}
	for _, m := range v.Msgs {
		add(messagePrefix+m.ID, func() any { return m })
	}
	for key, t := range v.Tools {
		add(toolPrefix+key, func() any { return t })
	}
	for _, t := range v.Turns {
		add(turnEntity(t.Turn), func() any { return t })
	}
	for i, n := range v.Notices {
		add(noticeEntity(i), func() any { return n })
	}
	if len(v.Timeline) > 0 {
		add(timelineEntity, func() any { return v.Timeline })
	}
	slices.SortFunc(all, func(a, b Digest) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Canonical returns the canonical JSON (RFC 8785) of an entity of the view.
func Canonical(entity any) (jsontext.Value, error) {
	b, err := json.Marshal(entity)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	j := jsontext.Value(b)
	if err := j.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return j, nil
}

// digest hashes an entity. Entities come from decoded events, so they can
// always be encoded; if one could not, it must not hash like another.
func digest(entity any) string {
	b, err := Canonical(entity)
	if err != nil {
		b = jsontext.Value("unencodable: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
