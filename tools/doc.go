// Package tools has real tools for an agent that works in one folder, the
// workspace: scan, ls, read, grep, write, edit, bash and fetch.
//
//	func main() {
//		supervisor := tools.Supervise() // first of all: see below
//		list, err := tools.New(tools.Workspace{Dir: dir, Environ: os.Environ(), Supervisor: supervisor}, "read", "edit", "bash")
//		...
//		a, err := agent.New(agent.Options{Model: model, Tools: list})
//
// # Promises
//
//  1. Tools may be called concurrently. New keeps nothing open and starts
//     nothing; a call has ended all that it started when it returns.
//  2. Files are reached through os.Root only: a path, a symbolic link or a race
//     with either cannot lead out of the workspace. Only regular files are
//     opened: no FIFO, device or socket, and nothing that lies on proc, sysfs
//     and their kind. Files with several hard links are refused unless
//     Workspace.AllowHardLinks is set, since their other name may be outside.
//  3. Write and edit replace a file in one step, so that a reader sees the old
//     or the new content. They are done one after the other, and edit refuses
//     to overwrite what somebody else has changed meanwhile.
//  4. Every call is bounded in time, in memory and in the size of its result
//     (Limits), and returns soon after its context ends. What was left out is
//     said in the result.
//  5. Errors are short. They name paths as seen from the workspace, never
//     where that is, and no path or address outside.
//  6. Updates carry the whole state so far and come at most ten times a second.
//     Their details, and the result's, have a phase and, where they are known,
//     done and total.
//  7. fetch speaks HTTP and HTTPS with public addresses only. The address is
//     checked after the name is resolved and right before the connection is
//     made, for each redirect anew. No proxy is used.
//
// # Commands
//
// A shell command is as free as the user that runs it: bash is not confined to
// the workspace. It sees of the environment only what Workspace lets through.
//
// No process outlives the call that started it; what still runs a moment after the
// shell has ended is killed. This holds when the command
// ends, when it is aborted, when it takes too long, and when this process is
// killed with SIGKILL and can do nothing any more. It is done by a supervisor: a
// second process of the same program, which Supervise recognises and never
// returns from. It is the subreaper of the command, so that a process that
// has left its group or session, or lost its parent, is still its descendant;
// and it holds a pipe whose other end closes when this process dies, in
// whatever way. Then, as at any other end, it stops and kills descendants until
// none is left. A parent-death signal would reach one child only, and a
// control group needs rights that are often not there.
//
// A command that attacks its own supervisor with SIGKILL is still cleaned up after
// as long as this process lives: its processes are known by a mark in their
// environment. What escapes is a process of another user (sudo), and one that
// both kills the supervisor and hides its environment.
//
// The supervisor needs Linux; elsewhere New refuses bash.
package tools
