-- History: the entries after a seq ('' for the oldest kept), and what the log
-- knows of its epochs, by which the caller judges whether that seq is known.
-- ARGV: 6 seq, 7 events, 8 bytes
-- Replies: norun | ok, epoch, base, last seq, past epochs, oldest seq, entries
local m = redis.call('HMGET', META, 'e', 'b', 's', 'past')
if not m[1] then return {'norun'} end
local first = oldest(tonumber(m[3]))
local seq = first - 1
if ARGV[6] ~= '' then seq = math.max(seq, tonumber(ARGV[6])) end
return {'ok', m[1], m[2], m[3], m[4] or '', first, entriesAfter(seq, tonumber(ARGV[7]), tonumber(ARGV[8]))}
