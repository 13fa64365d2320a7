-- Returns the oldest jobs of each stream: name, tenant, time to the deadline, starts, and 1 if it runs. Arguments:
-- the maximum number for each stream.

local found, now = {}, milliseconds()
for _, priority in ipairs({'hi', 'lo'}) do
  for _, item in ipairs(redis.call('XRANGE', prefix .. 'jobs:' .. priority, '-', '+', 'COUNT', ARGV[1])) do
    local entry, job = priority .. '/' .. item[1], map(item[2])
    -- A producer that writes to the stream itself may write anything.
    local budget = (job.b or ''):match('^%d+$')
    local deadline = item[1]:match('^%d+') + (budget and #budget <= 15 and tonumber(budget) or 0)
    table.insert(found, {job.j or entry, job.t or 'default', deadline - now, (start_count(entry)),
      is_leased(entry) and 1 or 0})
  end
end
return found
