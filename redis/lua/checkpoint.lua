-- Stores the fold up to a seq; what it covers may then be forgotten. One older
-- than the stored one, or further than the log, is ignored.
-- ARGV: 6 seq, 7 snapshot, 8 events kept, 9 bytes kept
local m = redis.call('HMGET', META, 'w', 'e', 's', 'ps', 'n', 'by', 'x')
local refused = mayWrite(m[1], m[2])
if refused then return refused end
local seq, t = tonumber(ARGV[6]), now()
if seq < tonumber(m[4]) or seq > tonumber(m[3]) then
  redis.call('HSET', META, 'hb', str(t))
  return {'ok'}
end
redis.call('SET', SNAPSHOT, ARGV[7], 'KEEPTTL')
local n, by = trim(seq, tonumber(m[5]), tonumber(m[6]), tonumber(ARGV[8]), tonumber(ARGV[9]))
redis.call('HSET', META, 'ps', ARGV[6], 'n', str(n), 'by', str(by), 'hb', str(t))
refresh(t, m[7])
return {'ok'}
