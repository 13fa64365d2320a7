-- Removes a callback. Arguments: the entry, its fence.

local key = prefix .. 'callback:' .. ARGV[1]
if redis.call('HGET', key, 'fence') ~= ARGV[2] then return 0 end
local tenant, size = redis.call('HGET', key, 't'), redis.call('HSTRLEN', key, 'y')
redis.call('DEL', key)
redis.call('ZREM', prefix .. 'callbacks', ARGV[1])
redis.call('ZREM', prefix .. 'tenant:' .. (tenant or 'default'), ARGV[1])
redis.call('ZREM', prefix .. 'tenant:*', ARGV[1])
if redis.call('ZCARD', prefix .. 'callbacks') == 0 then
  redis.call('HDEL', prefix .. 'meta', 'owedBytes')
else
  redis.call('HINCRBY', prefix .. 'meta', 'owedBytes', 0 - size)
end
return 1
