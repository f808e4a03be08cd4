-- Appends one batch as one entry and publishes it as one message.
-- ARGV: 6 first seq, 7 last seq (first-1: an empty batch), 8 events, 9 events
-- kept, 10 bytes kept, 11 the most that is published whole
-- Replies: ok | dup | gap | overlap, each with the log's last seq; full, events, bytes
local m = redis.call('HMGET', META, 'w', 'e', 's', 'n', 'by', 'ps', 't', 'x')
local refused = mayWrite(m[1], m[2])
if refused then return refused end
local s, first, last = tonumber(m[3]), tonumber(ARGV[6]), tonumber(ARGV[7])
local count, size = last - first + 1, #ARGV[8]
if first > s + 1 then return {'gap', s} end
if count == 0 then return {'ok', s} end
if last <= s then return {'dup', s} end
if first <= s then return {'overlap', s} end

local n, by = tonumber(m[4]), tonumber(m[5])
local maxEvents, maxBytes = tonumber(ARGV[9]), tonumber(ARGV[10])
if n + count > maxEvents or by + size > maxBytes then
  -- A little more than needed, so that this is not done for every batch.
  n, by = trim(tonumber(m[6]), n, by, math.max(maxEvents * 7 / 8 - count, 0), math.max(maxBytes * 7 / 8 - size, 0))
  -- A log that is empty takes any batch: no checkpoint could make more room.
  if n > 0 and (n + count > maxEvents or by + size > maxBytes) then
    redis.call('HSET', META, 'n', str(n), 'by', str(by))
    return {'full', n, by}
  end
end
local t = now()
redis.call('XADD', STREAM, ARGV[6] .. '-0', 'e', EPOCH, 'n', str(count), 'd', ARGV[8])
redis.call('HSET', META, 's', ARGV[7], 'n', str(n + count), 'by', str(by + size), 'hb', str(t))
refresh(t, m[8])
if size <= tonumber(ARGV[11]) then
  redis.call(PUBLISH, CHANNEL, 'E ' .. m[7] .. ' ' .. EPOCH .. ' ' .. ARGV[6] .. ' ' .. str(count) .. '\n' .. ARGV[8])
else
  publish(CHANNEL, 'N', m[7], EPOCH, ARGV[7])
end
return {'ok', last}
