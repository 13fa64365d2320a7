-- Counts the workers with a lease on what was taken back, and those of them that do not know a version yet.
-- Argument: the version.

local function parts(version)
  local time, number = version:match('^(%d+)-(%d+)$')
  return tonumber(time) or 0, tonumber(number) or 0
end

local time, number = parts(ARGV[1])
local live = redis.call('ZRANGEBYSCORE', prefix .. 'knows', '(' .. string.format('%.0f', milliseconds()), '+inf')
local behind = 0
for _, name in ipairs(live) do
  local its_time, its_number = parts(redis.call('HGET', prefix .. 'knows:version', name) or '')
  if its_time < time or (its_time == time and its_number < number) then behind = behind + 1 end
end
return {#live, behind}
