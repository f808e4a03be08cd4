// Package scripted is a model that plays a data file: for demonstrations, tests
// and developing tools without a provider.
//
// A script is a JSON object:
//
//	{
//	  "pace": "30ms",
//	  "repeat": true,
//	  "responses": [
//	    {"steps": [
//	      {"thinking": "Where is it?"},
//	      {"pause": "1s"},
//	      {"text": "I look into both folders."},
//	      {"call": {"name": "ls", "arguments": {"path": "src"}}},
//	      {"call": {"name": "ls", "arguments": {"path": "doc"}, "id": "second"}}
//	    ]},
//	    {"steps": [{"text": "Found it."}], "usage": {"input": 900, "output": 12}}
//	  ]
//	}
//
// The n-th request plays the n-th response. When none is left the script starts
// again if "repeat" is true; otherwise the answer is an error message.
//
// "pace" is the pause between two pieces of streamed text (a piece is a word and
// the space after it), none by default. A response may have a pace of its own.
// Durations are written as Go writes them: "1.5s", "200ms".
//
// A step has one of these keys:
//
//	text, thinking   streams the text as a block of its own
//	call             streams a tool call: name, arguments (any JSON, kept as it is
//	                 written) or rawArguments (a text, to show what happens when
//	                 a model writes broken JSON), id (made up if absent)
//	pause            waits
//	fail             ends the message with stop reason error and this text; with
//	                 "temporary": true beside it, as one that is worth another try
//	cut              breaks off, as a lost connection does: the request fails
//	                 with this text, in the middle of the message
//
// fail and cut are last steps. A response may state "stop" ("stop", "toolUse",
// "length"); by default it follows from whether there are calls. "usage" has
// input, output, cacheRead, cacheWrite (tokens) and cost (micro-dollars). With
// "stream": false the message comes in one piece.
//
// Unknown and duplicate keys, and anything else that is odd, are errors that
// say where: "responses[1].steps[0]: …".
//
// # Promises
//
//  1. A Model may be shared: requests take responses one after the other, and
//     several may stream at once. Nothing is read or changed after Parse.
//  2. When the request's context ends, the answer ends within the current pause
//     or piece: stop reason aborted, with what has been streamed until then.
package scripted
