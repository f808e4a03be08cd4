package projector

// Limits bounds what an event may carry, in bytes unless said otherwise.
// Fields that are not positive take the default in parentheses.
type Limits struct {
	Args         int // arguments preview, and all call_delta text of one card (4 KiB)
	Details      int // details of an update or a result (4 KiB)
	Result       int // result text in the view, head, marker and tail (8 KiB)
	Progress     int // progress text in the view before it is cut (32 KiB)
	ProgressTail int // progress text left by that cut (16 KiB)
	Text         int // a message's text (256 KiB)
	// Thinking is lower than Text, so that a message of both stays below
	// view.MaxEventBytes even where each byte takes six in JSON (64 KiB).
	Thinking int
	Notice   int // a notice, and each queued message (1 KiB)
	Error    int // an error message (4 KiB)
	Name     int // ids, names, labels, kinds, models (256)
	Title    int // runes (120)
	Output   int // a whole output kept as a blob, head, marker and tail (16 MiB)
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

const (
	maxQueued      = 64   // queued messages in one queue event, per list
	maxAttachments = 64   // attachments of one result
	maxBlocks      = 1024 // content blocks of one message that stream
)

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		to  *int
		def int
	}{
		{&l.Args, 4 * kib}, {&l.Details, 4 * kib}, {&l.Result, 8 * kib},
		{&l.Progress, 32 * kib}, {&l.ProgressTail, 16 * kib},
		{&l.Text, 256 * kib}, {&l.Thinking, 64 * kib},
		{&l.Notice, kib}, {&l.Error, 4 * kib}, {&l.Name, 256}, {&l.Title, 120}, {&l.Output, 16 * mib},
	} {
		if *f.to <= 0 {
			*f.to = f.def
		}
	}
	l.ProgressTail = min(l.ProgressTail, l.Progress)
	return l
}
