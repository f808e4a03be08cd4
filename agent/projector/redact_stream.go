package projector

import "strings"

// stream redacts one text that comes in pieces. What may be the beginning of a
// secret waits until it is told; the rest leaves at once. A secret that is
// hidden swallows what still belongs to it.
type stream struct {
	r *Redactor
	// before is the text that has left, as far as rules look back.
	before string
	held   string
	// more is what still belongs to a hidden secret; nil: nothing.
	more *class
	// inPEM: everything belongs to a private key, until its END line. pem is the
	// end of what was swallowed, where that line may have begun.
	inPEM bool
	pem   string
}

// lookBack is how far, in bytes, the name of an assignment may lie back.
const lookBack = 256

// maxHeld bounds what waits; known values are longest.
const maxHeld = 4 * kib

// push adds a piece and returns what may leave.
func (s *stream) push(piece string) string { return s.next(piece, false) }

// finish returns what still waits, and begins a new text.
func (s *stream) finish() string {
	out := s.next("", true)
	*s = stream{r: s.r}
	return out
}

func (s *stream) next(piece string, final bool) string {
	if s.inPEM {
		s.pem += piece
		end := pemEndsAt(s.pem)
		if end < 0 {
			s.pem = tail(s.pem, len(pemEnd)+maxPEMLabel+len(pemDashes))
			return ""
		}
		piece, s.inPEM, s.pem = s.pem[end:], false, ""
	}
	if s.more != nil {
		piece = piece[s.more.run(piece, 0):]
		if piece == "" {
			return ""
		}
		s.more, s.before = nil, ""
	}
	if piece == "" && !final {
		return ""
	}
	text := s.before + s.held + piece
	spans, hold := s.r.scan(text, final)
	if len(text)-hold > maxHeld {
		hold = len(text)
	}
	return s.leave(text, spans, max(hold, len(s.before)))
}

// leave returns the text between what has left and hold, and keeps the rest.
func (s *stream) leave(text string, spans []span, hold int) string {
	var b strings.Builder
	at, from := len(s.before), max(0, hold-lookBack)
	for _, sp := range spans {
		if sp.end <= at {
			continue // hidden when it came
		}
		b.WriteString(text[at:max(at, sp.start)])
		b.WriteString(sp.with)
		at = sp.end
		from = max(from, sp.end)
		if sp.end == len(text) {
			s.inPEM = sp.edge == edgePEM
			if sp.edge == edgeSwallow {
				s.more = sp.more
			}
		}
	}
	if at < hold {
		b.WriteString(text[at:hold])
	}
	s.before, s.held = text[min(from, hold):hold], text[hold:]
	return b.String()
}
