-- Defines a function that gives an entry to this worker under a new fence. An entry that is no longer in the
-- stream is acknowledged.

local found = {milliseconds()}
local function claim(priority, id)
  local key = prefix .. 'jobs:' .. priority
  local claimed = redis.call('XCLAIM', key, 'workers', ARGV[1], 0, id)[1]
  if not claimed then
    redis.call('XACK', key, 'workers', id)
    give_room_back(priority .. '/' .. id)
    redis.call('ZREM', prefix .. 'due', priority .. '/' .. id)
    return
  end
  local entry = priority .. '/' .. id
  local _, fence = owner(entry)
  local count = start_count(entry)
  forget(entry, map(claimed[2]))
  table.insert(found, {entry, fence, count, claimed[2]})
end
