-- Notes a sign of life, and what the list of runs is to show.
-- ARGV: 6 index text, 7 runs listed
local m = redis.call('HMGET', META, 'w', 'e', 's', 't', 'o', 'x')
local refused = mayWrite(m[1], m[2])
if refused then return refused end
local t = now()
redis.call('HSET', META, 'hb', str(t), 'h', '1')
refresh(t, m[6])
publish(CHANNEL, 'B', m[4], EPOCH, m[3], '0', m[5])
list(t, '1', m[4], EPOCH, m[3], ARGV[6])
prune(t, tonumber(ARGV[7]))
return {'ok'}
