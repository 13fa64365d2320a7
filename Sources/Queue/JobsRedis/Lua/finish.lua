-- Answers a job. Arguments: the entry, its fence, the status, the body, the time for which the answer is kept.

local job = owns(ARGV[1], ARGV[2], ARGV[3]) and read(ARGV[2])
if not job then return 0 end
answer(ARGV[2], job, ARGV[4], ARGV[5], tonumber(ARGV[6]))
return 1
