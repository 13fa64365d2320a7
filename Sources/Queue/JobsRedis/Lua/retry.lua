-- Enqueues a dead letter again. Answers as `enqueue` does, or nil if the letter is gone. Arguments: its id.

local dead = KEYS[1] .. 'dead'
local found = redis.call('XRANGE', dead, ARGV[1], ARGV[1])[1]
if not found then return false end
local fields, job, priority = {}, {}, 'hi'
for i = 1, #found[2], 2 do
  local name, value = found[2][i], found[2][i + 1]
  job[name] = value
  if name == 'entry' then
    priority = value:sub(1, 2)
  elseif name ~= 'worker' and name ~= 'starts' then
    table.insert(fields, name)
    table.insert(fields, value)
  end
end
local tenant, id = job.t or 'default', job.j or ''
local result = KEYS[1] .. 'res:' .. #tenant .. ':' .. tenant .. ':' .. id
local known = redis.call('GET', result)
local kept = known and known:sub(1, 1) ~= '-'
if kept then redis.call('RENAME', result, KEYS[1] .. 'kept') end
local answer = enqueue(KEYS[1], priority, fields)
if answer[1] == 'OK' then
  redis.call('XDEL', dead, ARGV[1])
  redis.call('DEL', KEYS[1] .. 'kept')
elseif kept then
  redis.call('RENAME', KEYS[1] .. 'kept', result)
end
return answer
