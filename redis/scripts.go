package redis

import (
	"embed"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// scripts are the operations that must be one step in the store.
type scripts struct {
	claimFence, claimInstall, release                *goredis.Script
	append, checkpoint, heartbeat                    *goredis.Script
	follow, read, prune, list, blobWrite, blobCommit *goredis.Script
}

// loadScripts puts the prelude before each script. publish is the command that
// publishes: a cluster needs another one.
func loadScripts(publish string) (s scripts, err error) {
	prelude, err := luaFiles.ReadFile("lua/prelude.lua")
	if err != nil {
		return s, err
	}
	for name, to := range map[string]**goredis.Script{
		"claim_fence": &s.claimFence, "claim_install": &s.claimInstall, "release": &s.release,
		"append": &s.append, "checkpoint": &s.checkpoint, "heartbeat": &s.heartbeat,
		"follow": &s.follow, "read": &s.read, "prune": &s.prune, "list": &s.list,
		"blob_write": &s.blobWrite, "blob_commit": &s.blobCommit,
	} {
		body, err := luaFiles.ReadFile("lua/" + name + ".lua")
		if err != nil {
			return s, err
		}
		*to = goredis.NewScript(strings.Join([]string{
			fmt.Sprintf("local PUBLISH = '%s'", publish), string(prelude), string(body)}, "\n"))
	}
	return s, nil
}
