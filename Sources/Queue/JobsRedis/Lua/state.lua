-- Returns a job's state: nil, `waiting`, `running`, or the status, a newline and the body. Arguments: its result's
-- key.

local known = redis.call('GET', ARGV[1])
if not known or known:sub(1, 1) ~= '-' then return known end
local entry = known:sub(2)
if not read(entry) then return false end
return is_leased(entry) and 'running' or 'waiting'
