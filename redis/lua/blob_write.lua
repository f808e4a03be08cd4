-- Writes one piece of an output that is not there yet for readers. Writing it
-- again changes nothing. Without a piece: asks whether the caller may write.
-- KEYS: 7 the output. ARGV: 6 offset, 7 piece
local m = redis.call('HMGET', META, 'w', 'e')
local refused = mayWrite(m[1], m[2])
if refused then return refused end
if ARGV[7] ~= '' then
  redis.call('SETRANGE', KEYS[7], ARGV[6], ARGV[7])
  redis.call('PEXPIRE', KEYS[7], 600000)
end
return {'ok'}
