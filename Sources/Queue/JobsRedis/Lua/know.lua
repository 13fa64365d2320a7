-- Renews a worker's lease on what was taken back. Arguments: its name, the version that it knows, the time of the
-- lease, or 0 to end it. Answers the marks after that version, each with its version and its fields.

local name, version, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local now = milliseconds()
local leases, versions = prefix .. 'knows', prefix .. 'knows:version'
for _, other in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  redis.call('ZREM', leases, other)
  redis.call('HDEL', versions, other)
end
if lease == 0 then
  redis.call('ZREM', leases, name)
  redis.call('HDEL', versions, name)
  return {}
end
redis.call('ZADD', leases, now + lease, name)
redis.call('HSET', versions, name, version)
return redis.call('XRANGE', prefix .. 'marks', '(' .. version, '+', 'COUNT', 256)
