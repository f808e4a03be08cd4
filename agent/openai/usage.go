package openai

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/openai/openai-go/v3"

	"github.com/ringside-hub/ringside/agent"
)

// usageOf returns the usage of a chunk, or nil. Servers send it with the last
// chunk, with each (then it grows), or inside the choice.
func usageOf(c sdk.ChatCompletionChunk) *agent.Usage {
	raw := c.JSON.Usage.Raw()
	if len(raw) == 0 || raw[0] != '{' {
		raw = ""
		for _, choice := range c.Choices {
			if inner := choice.JSON.ExtraFields["usage"].Raw(); strings.HasPrefix(inner, "{") {
				raw = inner
			}
		}
	}
	if raw == "" {
		return nil
	}
	var u sdk.CompletionUsage
	if err := u.UnmarshalJSON([]byte(raw)); err != nil {
		return nil
	}
	cached := u.PromptTokensDetails.CachedTokens
	if cached == 0 {
		var other struct {
			Hit int64 `json:"prompt_cache_hit_tokens"`
		}
		_ = json.Unmarshal([]byte(raw), &other, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		cached = other.Hit
	}
	in, out, reasoning, total := atLeast0(u.PromptTokens), atLeast0(u.CompletionTokens), atLeast0(u.CompletionTokensDetails.ReasoningTokens), atLeast0(u.TotalTokens)
	// Most servers count reasoning as part of the completion; where the total
	// says otherwise, it comes on top.
	if reasoning > 0 && total == in+out+reasoning {
		out += reasoning
	}
	cached = min(atLeast0(cached), in)
	if total == 0 {
		total = in + out
	}
	return &agent.Usage{Input: in - cached, CacheRead: cached, Output: out, Total: total}
}

// atLeast0 also bounds what a server may claim, so that sums do not overflow.
func atLeast0(n int64) int64 { return min(max(n, 0), 1<<50) }
