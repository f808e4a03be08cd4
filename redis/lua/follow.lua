-- Everything that one who follows needs, at one instant: where the run is, and
-- from a position that the log still continues the entries after it, else the
-- snapshot and the entries after that.
-- ARGV: 6 epoch, 7 seq ('' and 0 to join), 8 tail bytes
-- Replies: norun | ahead, head | tail, head, entries | snapshot, head, snapshot, entries
-- with head = epoch, term, last seq, owner, held, hb, age ms, oldest seq
local m = redis.call('HMGET', META, 'e', 't', 's', 'b', 'ps', 'o', 'h', 'hb')
local e, s = m[1], tonumber(m[3])
if not e then return {'norun'} end
local first = oldest(s)
local head = {e, m[2], m[3], m[6], m[7], m[8], math.max(now() - tonumber(m[8]), 0), first}
local max = tonumber(ARGV[8])
if ARGV[6] == e then
  local seq = tonumber(ARGV[7])
  if seq > s then return {'ahead', head} end
  if seq >= tonumber(m[4]) and seq >= first - 1 then
    return {'tail', head, entriesAfter(seq, math.huge, max)}
  end
end
return {'snapshot', head, redis.call('GET', SNAPSHOT), entriesAfter(tonumber(m[5]), math.huge, max)}
