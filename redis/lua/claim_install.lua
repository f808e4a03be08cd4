-- Installs the new epoch with its snapshot and announces the reset.
-- ARGV: 6 seq, 7 snapshot, 8 index text, 9 events kept, 10 bytes kept, 11 epochs
-- remembered, 12 runs listed
local m = redis.call('HMGET', META, 'w', 'e', 's', 'b', 'f', 'past', 'n', 'by')
local w, e = m[1], m[2]
if not w then return {'norun'} end
if w ~= EPOCH then return {'fenced'} end
if e == EPOCH then return {'ok'} end -- a repeated call

local t, seq, term = now(), ARGV[6], m[5]
redis.call('SET', SNAPSHOT, ARGV[7]) -- first: it is what may not fit
local past = {}
if e then
  -- past is "epoch base last;" for each earlier epoch that the log still holds.
  local first = oldest(tonumber(m[3]))
  for span in string.gmatch((m[6] or '') .. e .. ' ' .. m[4] .. ' ' .. m[3] .. ';', '[^;]+;') do
    if tonumber(string.match(span, '(%d+);')) >= first - 1 then past[#past + 1] = span end
  end
  while #past > tonumber(ARGV[11]) do table.remove(past, 1) end
end
local n, by = trim(tonumber(seq), tonumber(m[7] or 0), tonumber(m[8] or 0), tonumber(ARGV[9]), tonumber(ARGV[10]))
redis.call('HSET', META, 'e', EPOCH, 't', term, 'b', seq, 's', seq, 'ps', seq, 'n', str(n), 'by', str(by),
  'h', '1', 'hb', str(t), 'past', table.concat(past))
refresh(t)
publish(CHANNEL, 'R', term, EPOCH, seq)
list(t, '1', term, EPOCH, seq, ARGV[8])
prune(t, tonumber(ARGV[12]))
return {'ok'}
