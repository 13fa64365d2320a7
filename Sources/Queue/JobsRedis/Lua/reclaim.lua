-- Leases entries whose lease was not renewed, and answers as `lease` does. For the length of a lease after the
-- server went on with another history, it leases none, so that their workers can renew. Also lines up entries that
-- workers of an earlier version gave back. Arguments: the maximum number, the lease time.

local limit, now = tonumber(ARGV[2]) + 1, found[1]
local since = tonumber(redis.call('HGET', prefix .. 'meta', 'since') or 0) or 0
if since <= now and now - since < tonumber(ARGV[3]) then limit = 1 end
for _, priority in ipairs({'hi', 'lo'}) do
  local key, lost = prefix .. 'jobs:' .. priority, {}
  for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
    consumer = map(consumer)
    if #found < limit and consumer.pending > 0 and consumer.name ~= 'released' then
      local idle = redis.call('XPENDING', key, 'workers', 'IDLE', ARGV[3], '-', '+', limit - #found,
        consumer.name)
      for _, pending in ipairs(idle) do table.insert(lost, pending[1]) end
    end
  end
  -- The oldest first, whoever had them.
  local function number(id) return tonumber(id:match('^%d+')), tonumber(id:match('%d+$')) end
  table.sort(lost, function(left, right)
    local a, b = number(left)
    local c, d = number(right)
    return a < c or a == c and b < d
  end)
  for _, id in ipairs(lost) do
    if #found < limit then claim(priority, id) end
  end
  look_over(priority)
end
return found
