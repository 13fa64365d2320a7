-- Postpones a callback. A new fence ends its lease. If no attempt was made, the fence goes back instead, so that
-- the lease does not count as an attempt. Arguments: the entry, its fence, the delay, the number of failures (0 or
-- 1).

local key = prefix .. 'callback:' .. ARGV[1]
if redis.call('HGET', key, 'fence') ~= ARGV[2] then return 0 end
redis.call('HINCRBY', key, 'failures', ARGV[4])
redis.call('HINCRBY', key, 'fence', ARGV[4] == '1' and 1 or -1)
redis.call('ZADD', prefix .. 'callbacks', milliseconds() + ARGV[3], ARGV[1])
return 1
