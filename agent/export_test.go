package agent

import "encoding/json"

// ArgumentChecker converts and checks arguments as for a tool with the schema.
func ArgumentChecker(schema string) func(args []byte) (json.RawMessage, error) {
	s, err := compileArguments(json.RawMessage(schema))
	return func(args []byte) (json.RawMessage, error) {
		if err != nil {
			return nil, err
		}
		return s.check("tool", args)
	}
}
