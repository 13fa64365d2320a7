-- Answers a job as `finish` does, and adds it to the dead letters.

local entry = ARGV[2]
if not owns(ARGV[1], entry, ARGV[3]) then return 0 end
local count = start_count(entry)
local key, id = locate(entry)
local found = redis.call('XRANGE', key, id, id)[1]
if not found then return 0 end
answer(entry, map(found[2]), ARGV[4], ARGV[5], tonumber(ARGV[6]))
local letter = found[2]
for _, word in ipairs({'entry', entry, 'worker', ARGV[1], 'starts', tostring(count)}) do
  table.insert(letter, word)
end
redis.call('XADD', prefix .. 'dead', 'MAXLEN', '~', 10000, '*', unpack(letter))
return 1
