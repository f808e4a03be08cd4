-- Takes runs that have expired out of a partition's list, where no writer does it.
-- ARGV: 6 runs listed
prune(now(), tonumber(ARGV[6]))
return {'ok'}
