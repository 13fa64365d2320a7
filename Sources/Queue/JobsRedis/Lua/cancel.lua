-- Cancels a job. Arguments: its result's key, the answer, the time for which the answer is kept.

local known = redis.call('GET', ARGV[1])
if not known then return 'unknown' end
if known:sub(1, 1) ~= '-' then return 'finished' end
local entry = known:sub(2)
local job = read(entry)
if not job then return 'unknown' end
if is_leased(entry) then return 'running' end
answer(entry, job, 'cancelled', ARGV[2], tonumber(ARGV[3]))
return 'cancelled'
