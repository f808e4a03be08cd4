-- Put before every script. One run's keys, all of one partition:
local META, STREAM, SNAPSHOT, BLOBS, INDEX, EXPIRY = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
-- EPOCH is the caller's: what its claim was made with.
local EPOCH, RUN, KEEP, CHANNEL, INDEX_CHANNEL = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]

-- str writes a whole number: Lua's own way loses digits beyond 14.
local function str(n)
  return string.format('%.0f', n)
end

-- now is this server's clock in milliseconds; no other clock is ever used.
local function now()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end

local function publish(channel, ...)
  redis.call(PUBLISH, channel, table.concat({...}, ' '))
end

-- mayWrite says whether the caller is the run's writer: nil if so, else the
-- reply. w is the newest claim's epoch, e the installed one.
local function mayWrite(w, e)
  if not w or not e then return {'norun'} end
  if w ~= EPOCH or e ~= EPOCH then return {'fenced'} end
  return nil
end

-- entryOf gives the first and the last seq of a stream's entry, and its size. An
-- entry is one batch: id <first seq>-0, fields e (epoch), n (count), d (events).
local function entryOf(entry)
  local first = tonumber(string.match(entry[1], '^%d+'))
  local f = entry[2]
  return first, first + tonumber(f[4]) - 1, #f[6]
end

-- oldest is the seq of the oldest kept event, or the one after last.
local function oldest(last)
  local head = redis.call('XRANGE', STREAM, '-', '+', 'COUNT', 1)
  if not head[1] then return last + 1 end
  return (entryOf(head[1]))
end

-- entriesAfter reads entries that hold something after a seq, until the bounds
-- are reached (the last one may go beyond).
local function entriesAfter(seq, maxEvents, maxBytes)
  local out, events, bytes = {}, 0, 0
  local from = str(seq + 1) .. '-0'
  local at = redis.call('XREVRANGE', STREAM, from, '-', 'COUNT', 1)
  if at[1] then
    local _, last = entryOf(at[1])
    if last > seq then from = at[1][1] end
  end
  while events < maxEvents and bytes < maxBytes do
    local some = redis.call('XRANGE', STREAM, from, '+', 'COUNT', 16)
    for _, entry in ipairs(some) do
      local first, last, size = entryOf(entry)
      if events >= maxEvents or bytes >= maxBytes then break end
      out[#out + 1] = entry
      events, bytes = events + last - math.max(first - 1, seq), bytes + size
      from = '(' .. entry[1]
    end
    if #some < 16 then break end
  end
  return out
end

-- trim forgets the oldest entries that the snapshot covers until the log is
-- within the bounds; it returns what is left.
local function trim(covered, events, bytes, maxEvents, maxBytes)
  local keepFrom
  local from = '-'
  while events > maxEvents or bytes > maxBytes do
    local some = redis.call('XRANGE', STREAM, from, '+', 'COUNT', 16)
    local stop = #some == 0
    for _, entry in ipairs(some) do
      local first, last, size = entryOf(entry)
      if last > covered or (events <= maxEvents and bytes <= maxBytes) then
        stop = true
        break
      end
      events, bytes = events - (last - first + 1), bytes - size
      keepFrom = last + 1
      from = '(' .. entry[1]
    end
    if stop then break end
  end
  if keepFrom then redis.call('XTRIM', STREAM, 'MINID', str(keepFrom) .. '-0') end
  return events, bytes
end

-- refresh lets a run live on for KEEP. refreshed is when that was done last;
-- it is not done at every call.
local function refresh(t, refreshed)
  if refreshed and t - tonumber(refreshed) < KEEP / 16 then return end
  redis.call('HSET', META, 'x', str(t))
  for _, key in ipairs({META, STREAM, SNAPSHOT, BLOBS}) do
    redis.call('PEXPIRE', key, KEEP)
  end
end

-- prune takes runs out of the partition's list: those that are gone, and beyond
-- max those that would go first.
local function prune(t, max)
  local drop = {}
  for _, run in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', str(t), 'LIMIT', 0, 16)) do
    local left = redis.call('PTTL', string.sub(EXPIRY, 1, -3) .. 'r:' .. run .. ':m')
    if left == -2 then
      drop[#drop + 1] = run
    else
      redis.call('ZADD', EXPIRY, str(t + math.max(left, 60000)), run)
    end
  end
  local over = redis.call('ZCARD', EXPIRY) - #drop - max
  if over > 0 then
    for _, run in ipairs(redis.call('ZRANGE', EXPIRY, 0, math.min(over, 16) - 1)) do
      if run ~= RUN then drop[#drop + 1] = run end
    end
  end
  for _, run in ipairs(drop) do
    redis.call('ZREM', EXPIRY, run)
    redis.call('HDEL', INDEX, run)
    publish(INDEX_CHANNEL, 'gone', run)
  end
end

-- list puts the run's line into the index and tells who follows it.
local function list(t, held, term, epoch, seq, text)
  local line = table.concat({str(t), held, term, epoch, seq, text}, ' ')
  redis.call('HSET', INDEX, RUN, line)
  redis.call('ZADD', EXPIRY, str(t + KEEP), RUN)
  publish(INDEX_CHANNEL, 'run', RUN, line)
end
