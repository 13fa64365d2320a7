-- The functions that the other scripts share.
--
-- The name of an entry consists of its stream and its id there, such as `hi/1700000000000-0`. The fence of a lease
-- is the entry's delivery count. The fence of the last start is stored with the count of starts, so that a
-- repeated call counts once.

local prefix = KEYS[1]
local starts = prefix .. 'starts'

local function locate(entry)
  return prefix .. 'jobs:' .. entry:sub(1, 2), entry:sub(4)
end

local function map(list)
  local fields = {}
  for i = 1, #list, 2 do fields[list[i]] = list[i + 1] end
  return fields
end

local function read(entry)
  local key, id = locate(entry)
  local found = redis.call('XRANGE', key, id, id)[1]
  return found and map(found[2])
end

local function milliseconds()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function result_key(tenant, id)
  return prefix .. 'res:' .. #tenant .. ':' .. tenant .. ':' .. id
end

-- Who has the entry, and under which fence; nil when nobody has.
local function owner(entry)
  local key, id = locate(entry)
  local pending = redis.call('XPENDING', key, 'workers', id, id, 1)[1]
  if pending then return pending[2], tonumber(pending[4]) end
end

local function owns(worker, entry, fence)
  local name, current = owner(entry)
  return name == worker and current == tonumber(fence)
end

local function start_count(entry)
  local count, fence = string.match(redis.call('HGET', starts, entry) or '0 0', '^(%d+) (%d+)$')
  return math.min(tonumber(count), 1e9), tonumber(fence)
end

-- Whether a worker has the entry; "released" is nobody.
local function is_leased(entry)
  local name = owner(entry)
  return name and name ~= 'released'
end

-- Entries that a producer wrote without the script may have any tenant.
local function tenant_of(job)
  local tenant = job.t or ''
  return #tenant >= 1 and #tenant <= 64 and not tenant:find('[^%w._-]') and tenant or 'default'
end

-- Gives back the room of an entry in the backlog's bytes.
local function give_room_back(entry)
  local size, line = string.match(redis.call('HGET', prefix .. 'sizes', entry) or '', '^(%d+) (.+)$')
  if not size then return end
  redis.call('HDEL', prefix .. 'sizes', entry)
  for _, field in ipairs({'total', 'of:' .. line}) do
    -- Not the negative number, which Redis refuses for zero.
    local left = redis.call('HINCRBY', prefix .. 'bytes', field, 0 - size)
    if left <= 0 then redis.call('HDEL', prefix .. 'bytes', field) end
  end
end

-- Takes an entry out of the lists of waiting entries.
local function forget(entry, job)
  local priority = entry:sub(1, 2)
  -- It was put in line when others had lines of their own.
  for _, name in ipairs({tenant_of(job), '*'}) do
    local line = prefix .. 'waiting:' .. priority .. ':' .. name
    if redis.call('ZREM', line, entry:sub(4)) == 1 then
      redis.call('ZREM', prefix .. 'due', entry)
      if redis.call('EXISTS', line) == 0 then redis.call('ZREM', prefix .. 'tenants:' .. priority, name) end
    end
  end
end
