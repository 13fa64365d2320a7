-- Removes the worker from the group, unless it still has entries, which would be lost with it.

redis.call('DEL', prefix .. 'w:' .. ARGV[1])
redis.call('ZREM', prefix .. 'workers', ARGV[1])
for _, priority in ipairs({'hi', 'lo'}) do
  local key = prefix .. 'jobs:' .. priority
  for _, name in ipairs({ARGV[1], 'released'}) do
    if #redis.call('XPENDING', key, 'workers', '-', '+', 1, name) == 0 then
      redis.call('XGROUP', 'DELCONSUMER', key, 'workers', name)
    end
  end
end
return 'OK'
