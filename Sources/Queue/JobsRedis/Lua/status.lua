-- Returns the numbers of waiting jobs, leased jobs, dead letters and callbacks, the waiting time of the oldest job, or
-- -1, and 1 if the server has too little memory for more jobs. `lag` of XINFO would be wrong after a waiting job was
-- cancelled.

local total, leased, oldest, now = 0, 0, nil, milliseconds()
local function waits(id)
  local since = tonumber(id:match('^%d+'))
  oldest = math.min(oldest or since, since)
end
for _, priority in ipairs({'hi', 'lo'}) do
  local key = prefix .. 'jobs:' .. priority
  total = total + redis.call('XLEN', key)
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', key)) do
    group = map(group)
    if group.name == 'workers' then
      leased = leased + group.pending
      local new = redis.call('XRANGE', key, '(' .. group['last-delivered-id'], '+', 'COUNT', 1)[1]
      if new then waits(new[1]) end
    end
  end
  for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
    consumer = map(consumer)
    if consumer.name == 'released' then leased = leased - consumer.pending end
  end
  local released = redis.call('XPENDING', key, 'workers', '-', '+', 1, 'released')[1]
  if released then waits(released[1]) end
end
return {math.max(0, total - leased), math.max(0, leased), redis.call('XLEN', prefix .. 'dead'),
  redis.call('ZCARD', prefix .. 'callbacks'),
  oldest and math.max(0, now - oldest) or -1, is_short_of_memory() and 1 or 0}
