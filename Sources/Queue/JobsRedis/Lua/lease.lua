-- Leases waiting entries of each priority, in turns of their tenants. Returns the time, then the entries: their
-- names, fences, starts and fields, and `more` if another call would find more. Arguments: the maximum number; if
-- only `ExtraJobs` are wanted, the time within which an entry is due soon, and pairs of a priority and a tenant to pass
-- over.

local limit = tonumber(ARGV[2]) + 1
for _, priority in ipairs({'hi', 'lo'}) do line_up(priority) end
local besides = ARGV[3] and {hi = {}, lo = {}} or {}
for i = 4, #ARGV, 2 do besides[ARGV[i]][line_of(ARGV[i], ARGV[i + 1])] = true end
-- Entries that do not wait any more are passed over in several steps.
local passed = 0
for _, priority in ipairs({'hi', 'lo'}) do
  if #found < limit and passed < 1000 then
    take_turns(priority, besides[priority], function(id)
      local count = #found
      if owner(priority .. '/' .. id) == 'released' then claim(priority, id) end
      if #found == count then passed = passed + 1 end
      return #found < limit and passed < 1000, #found > count
    end)
  end
end
if ARGV[3] and #found < limit then
  local latest, count = string.format('%.0f', found[1] + ARGV[3]), limit - #found
  for _, entry in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'due', '-inf', latest, 'LIMIT', 0, count)) do
    if is_still_waiting(entry) then claim(entry:sub(1, 2), entry:sub(4)) end
  end
end
if redis.call('EXISTS', prefix .. 'due') == 0 then
  redis.call('DEL', prefix .. 'turns:hi', prefix .. 'turns:lo')
end
if passed >= 1000 then table.insert(found, 'more') end
return found
