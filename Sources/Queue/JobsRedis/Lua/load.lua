-- Returns the time, the numbers of waiting jobs, leased jobs, callbacks and all jobs that there ever were, what the
-- scaling rule remembers, the numbers of waiting jobs by deadline, and the workers: their slots, jobs in progress
-- and rates. Arguments: the times ahead by which deadlines are counted.

local now, total, leased = milliseconds(), 0, 0
for _, priority in ipairs({'hi', 'lo'}) do
  line_up(priority)
  local key = prefix .. 'jobs:' .. priority
  total = total + redis.call('XLEN', key)
  leased = leased + redis.call('XPENDING', key, 'workers')[1]
  for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
    consumer = map(consumer)
    if consumer.name == 'released' then leased = leased - consumer.pending end
  end
end
leased = math.max(0, leased)
local due, workers = {}, {}
for i = 2, #ARGV do
  table.insert(due, redis.call('ZCOUNT', prefix .. 'due', '-inf', string.format('%.0f', now + ARGV[i])))
end
local names = redis.call('ZRANGEBYSCORE', prefix .. 'workers', now, '+inf', 'LIMIT', 0, 10000)
for _, name in ipairs(names) do
  local fields = redis.call('HMGET', prefix .. 'w:' .. name, 'slots', 'running', 'rate')
  if fields[1] then table.insert(workers, fields) end
end
local answered = tonumber(redis.call('HGET', prefix .. 'meta', 'answered') or 0) or 0
return {now, math.max(0, total - leased), leased, redis.call('ZCARD', prefix .. 'callbacks'), answered + total,
  redis.call('GET', prefix .. 'scaling') or '', due, workers}
