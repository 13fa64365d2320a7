-- Removes what the queue has of a tenant's jobs, page by page. Arguments: the tenant, an id or '' for all, and the
-- place: 'hi', 'lo' or 'dead' with the start of a page, or 'callbacks' with the names of entries.
-- Answers the start of the next page, or '', and the number of jobs removed.

local tenant, id, place = ARGV[1], ARGV[2], ARGV[3]
local count = 0

local function is_chosen(job)
  return tenant_of(job) == tenant and (id == '' or job.j == id)
end

if place == 'callbacks' then
  for i = 4, #ARGV do
    local key = prefix .. 'callback:' .. ARGV[i]
    local found = redis.call('HMGET', key, 'j', 't')
    if found[1] and is_chosen({j = found[1], t = found[2] or ''}) then
      local size = redis.call('HSTRLEN', key, 'y')
      redis.call('DEL', key)
      for _, set in ipairs({'callbacks', 'tenant:' .. tenant, 'tenant:*'}) do
        redis.call('ZREM', prefix .. set, ARGV[i])
      end
      redis.call('HINCRBY', prefix .. 'meta', 'owedBytes', 0 - size)
      count = count + 1
    end
  end
  return {'', count}
end

local key = prefix .. (place == 'dead' and 'dead' or 'jobs:' .. place)
local page = redis.call('XRANGE', key, ARGV[4], '+', 'COUNT', 256)
for _, found in ipairs(page) do
  local job, entry = map(found[2]), place .. '/' .. found[1]
  if is_chosen(job) then
    if place ~= 'dead' then
      give_room_back(entry)
      forget(entry, job)
      redis.call('ZREM', prefix .. 'tenant:' .. tenant, entry)
      redis.call('ZREM', prefix .. 'tenant:*', entry)
      redis.call('XACK', key, 'workers', found[1])
      redis.call('HDEL', starts, entry)
      redis.call('HINCRBY', prefix .. 'meta', 'answered', 1)
      redis.call('DEL', result_key(tenant, job.j or entry))
    end
    redis.call('XDEL', key, found[1])
    count = count + 1
  end
end
return {#page == 256 and '(' .. page[256][1] or '', count}
