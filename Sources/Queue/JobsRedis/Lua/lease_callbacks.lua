-- Leases due callbacks and makes them due again when the lease ends. Returns the time, then the entries: their
-- names, fences and fields. Arguments: the maximum number, the lease time.

local now = milliseconds()
local found = {now}
local due = redis.call('ZRANGEBYSCORE', prefix .. 'callbacks', '-inf', now, 'LIMIT', 0, ARGV[1])
for _, entry in ipairs(due) do
  local key = prefix .. 'callback:' .. entry
  if redis.call('EXISTS', key) == 1 then
    local fence = redis.call('HINCRBY', key, 'fence', 1)
    redis.call('ZADD', prefix .. 'callbacks', now + ARGV[2], entry)
    table.insert(found, {entry, fence, redis.call('HGETALL', key)})
  else
    redis.call('ZREM', prefix .. 'callbacks', entry)
  end
end
return found
