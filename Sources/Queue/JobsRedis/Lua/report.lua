-- Records that a worker lives. Arguments: its name, the lifetime of the report, its slots, its jobs in progress, its
-- rate.

local key, now = prefix .. 'w:' .. ARGV[1], milliseconds()
redis.call('HSET', key, 'slots', ARGV[3], 'running', ARGV[4], 'rate', ARGV[5])
redis.call('PEXPIRE', key, ARGV[2])
redis.call('ZADD', prefix .. 'workers', now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', prefix .. 'workers', '-inf', now)
return 'OK'
