-- Gives an output its name; the one before it, and beyond the bounds the oldest
-- ones of the run, go after a minute, so that who reads them can finish.
-- KEYS: 7 the output. ARGV: 6 name, 7 id, 8 size, 9 keep ms, 10 bytes kept, 11 outputs kept
local m = redis.call('HMGET', META, 'w', 'e', 'blobs')
local refused = mayWrite(m[1], m[2])
if refused then return refused end
local name, id, size, t = ARGV[6], ARGV[7], tonumber(ARGV[8]), now()
if size == 0 then
  redis.call('SET', KEYS[7], '')
elseif redis.call('STRLEN', KEYS[7]) ~= size then
  return {'lost'}
end
local base = string.sub(KEYS[7], 1, -1 - #id)
local serial = tonumber(m[3] or 0) + 1
local all, total, count = {}, size, 1
local flat = redis.call('HGETALL', BLOBS)
for i = 1, #flat, 2 do
  -- A value is "id size serial".
  local b, bytes, at = string.match(flat[i + 1], '^(%S+) (%d+) (%d+)$')
  if b ~= id then -- not a repeated call's own
    if flat[i] == name then
      redis.call('PEXPIRE', base .. b, 60000)
    else
      all[#all + 1] = {name = flat[i], id = b, size = tonumber(bytes), at = tonumber(at)}
      total, count = total + tonumber(bytes), count + 1
    end
  end
end
table.sort(all, function(x, y) return x.at < y.at end)
for _, b in ipairs(all) do
  if total <= tonumber(ARGV[10]) and count <= tonumber(ARGV[11]) then break end
  redis.call('HDEL', BLOBS, b.name)
  redis.call('PEXPIRE', base .. b.id, 60000)
  total, count = total - b.size, count - 1
end
redis.call('HSET', BLOBS, name, id .. ' ' .. str(size) .. ' ' .. str(serial))
redis.call('HSET', META, 'blobs', str(serial), 'hb', str(t))
redis.call('PEXPIRE', KEYS[7], tonumber(ARGV[9]))
redis.call('PEXPIRE', BLOBS, KEEP)
return {'ok'}
