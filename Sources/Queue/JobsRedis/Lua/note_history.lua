-- Records the history of changes that the server goes on with, and the time if it is another one than before. That
-- is so after a restart and after a fail-over: nobody could renew leases meanwhile. Arguments: the history.

local meta = prefix .. 'meta'
local known = redis.call('HGET', meta, 'history')
if known == ARGV[1] then return 0 end
redis.call('HSET', meta, 'history', ARGV[1])
if known then redis.call('HSET', meta, 'since', milliseconds()) end
return 1
