-- Gives the run up: a writer that closes, or a claim that failed behind its fence.
-- The log stays for KEEP. A repeated call is answered the same.
local m = redis.call('HMGET', META, 'w', 'e', 's', 't', 'o', 'h')
if not m[1] then return {'norun'} end
if m[1] ~= EPOCH then return {'fenced'} end
if not m[2] then
  redis.call('DEL', META) -- it never was a run
  return {'ok'}
end
if m[6] == '0' then return {'ok'} end
local t = now()
redis.call('HSET', META, 'h', '0', 'hb', str(t))
refresh(t)
publish(CHANNEL, 'B', m[4], m[2], m[3], '1', m[5])
local line = redis.call('HGET', INDEX, RUN)
local text = line and string.match(line, '^%S+ %S+ %S+ %S+ %S+ (.*)$') or '{}'
list(t, '0', m[4], m[2], m[3], text)
return {'ok'}
