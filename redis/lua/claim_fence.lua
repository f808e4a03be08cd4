-- Shuts the run's writer out and returns what the log holds, to be folded. A
-- repeated call (its answer was lost) is answered the same.
-- ARGV: 6 owner, 7 '1' to take over, 8 hold ms, 9 tail bytes, 10 '1' for a reaper:
-- only what somebody holds
-- Replies: held, owner, age ms | released | norun | ok, seq, snapshot, entries
local m = redis.call('HMGET', META, 'w', 'e', 's', 'ps', 'f', 'h', 'o', 'hb')
local w, e, s, ps = m[1], m[2], tonumber(m[3] or 0), tonumber(m[4] or 0)
if w ~= EPOCH then
  if ARGV[10] == '1' then
    if not e then return {'norun'} end
    if m[6] ~= '1' then return {'released'} end
  end
  local t = now()
  local age = math.max(t - tonumber(m[8] or 0), 0)
  if m[6] == '1' and ARGV[7] ~= '1' and age < tonumber(ARGV[8]) then
    return {'held', m[7], age}
  end
  -- The term only grows, even over an emptied store: it is at least the time.
  local term = math.max(tonumber(m[5] or 0) + 1, t)
  redis.call('HSET', META, 'w', EPOCH, 'f', str(term), 'h', '1', 'o', ARGV[6], 'hb', str(t))
  if e then
    for _, key in ipairs({META, STREAM, SNAPSHOT, BLOBS}) do
      redis.call('PEXPIRE', key, 60000, 'GT') -- it must not expire during the claim
    end
  else
    redis.call('PEXPIRE', META, 60000) -- a first claim that is never finished leaves nothing
  end
end
return {'ok', s, redis.call('GET', SNAPSHOT), entriesAfter(ps, math.huge, tonumber(ARGV[9]))}
