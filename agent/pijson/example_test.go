package pijson_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/pijson"
)

func ExampleReader() {
	stream := `{"type":"agent_start"}
{"type":"tool_execution_start","toolCallId":"call_1","toolName":"bash","args":{"command":"ls"}}
{"type":"tool_execution_end","toolName":"bash","result":{"content":[]}}
{"type":"something_new"}
{"type":"agent_end","messages":[],"willRetry":false}
`
	r := pijson.NewReader(strings.NewReader(stream), pijson.Options{})
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println("the stream failed:", err)
			return
		}
		if rec.Quarantined != nil {
			fmt.Println("left out:", rec.Quarantined)
		}
		for _, ev := range rec.Events {
			switch ev := ev.(type) {
			case agent.ToolExecutionStart:
				fmt.Println(ev.ToolName, string(ev.Args))
			case agent.AgentEnd:
				fmt.Println("done")
			}
		}
	}
	fmt.Println("skipped:", r.Stats().SkippedTypes)
	// Output:
	// bash {"command":"ls"}
	// left out: line 3 (tool_execution_end): at /toolCallId: missing or empty: the call cannot be told from others
	// done
	// skipped: map[something_new:1]
}
