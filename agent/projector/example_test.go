package projector_test

import (
	"fmt"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
)

func Example() {
	p := projector.New(projector.Config{
		Redactor: projector.NewRedactor(projector.RedactConfig{Home: "/home/ada", Environ: []string{"API_KEY=correct-horse-9"}}),
	})
	for _, e := range []agent.Event{
		assistantStart(), textDelta("Looking into "), textDelta("/home/ada/notes"),
		assistantEnd(agent.StopStop, text("Looking into /home/ada/notes with correct-horse-9")...),
	} {
		for _, e := range p.Project(0, e).Events {
			data, _ := e.Encode()
			fmt.Println(string(data))
		}
	}
	// Output:
	// {"type":"message_start","t":0,"id":"m1","role":"assistant"}
	// {"type":"text_delta","t":0,"id":"m1","delta":"Looking into ~/notes"}
	// {"type":"message_end","t":0,"id":"m1","role":"assistant","text":"Looking into ~/notes with [redacted:env:API_KEY]","stopReason":"stop","redacted":1}
}
