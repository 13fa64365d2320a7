-- Takes files back. Arguments: the lifetime of the mark, the name of a source or '', and names of files.
-- Answers the version of the mark, 1 if any of it was known, and the names of all files.

local lifetime, source = tonumber(ARGV[1]), ARGV[2]
local files, seen, known = {}, {}, 0

local function add(file)
  if seen[file] then return end
  seen[file] = true
  table.insert(files, file)
  if redis.call('EXISTS', prefix .. 'made:f:' .. file) == 1 then known = 1 end
end

for i = 3, #ARGV do add(ARGV[i]) end
if source ~= '' then
  for _, file in ipairs(redis.call('HKEYS', prefix .. 'made:s:' .. source)) do add(file) end
end
local fields = {'s', source}
for _, file in ipairs(files) do
  table.insert(fields, 'f')
  table.insert(fields, file)
  if redis.call('SET', prefix .. 'took:f:' .. file, 1, 'PX', lifetime, 'GET') then known = 1 end
end
if source ~= '' and redis.call('SET', prefix .. 'took:s:' .. source, 1, 'PX', lifetime, 'GET') then known = 1 end
-- No worker may have a shorter lifetime than another one.
local longest = math.max(lifetime, tonumber(redis.call('GET', prefix .. 'marks:longest') or 0))
redis.call('SET', prefix .. 'marks:longest', longest)
local oldest = string.format('%.0f', milliseconds() - longest)
local version = redis.call('XADD', prefix .. 'marks', 'MINID', '~', oldest, '*', unpack(fields))
return {version, known, unpack(files)}
