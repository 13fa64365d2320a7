-- Counts a start. A repeated call counts once. Arguments: the entry, its fence.

if not owns(ARGV[1], ARGV[2], ARGV[3]) then return 0 end
local count, fence = start_count(ARGV[2])
if fence ~= tonumber(ARGV[3]) then redis.call('HSET', starts, ARGV[2], (count + 1) .. ' ' .. ARGV[3]) end
return 1
