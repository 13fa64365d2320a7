-- Adds a job to an attachd queue, protocol version 1, unless its name is known or the queue is full.
-- KEYS[1]: the queue's prefix, such as attachd:{default}:
-- ARGV: the priority, hi or lo, then the entry's fields, each a name and a value
-- Answers {'OK', entry}, {'DUP', entry}, {'DONE', status + newline + body} or {'BUSY'}.
local function enqueue(prefix, priority, fields)
  local stream = prefix .. 'jobs:' .. priority
  local job = {}
  for i = 1, #fields, 2 do job[fields[i]] = fields[i + 1] end
  local tenant, id, budget = job.t or 'default', job.j or '', tonumber(job.b)
  if priority ~= 'hi' and priority ~= 'lo' then return redis.error_reply('BADJOB the priority is hi or lo') end
  if #id < 1 or #id > 128 then return redis.error_reply('BADJOB j has 1 to 128 bytes') end
  if #tenant < 1 or #tenant > 128 then return redis.error_reply('BADJOB t has 1 to 128 bytes') end
  if not budget or budget < 1 then return redis.error_reply('BADJOB b is a number of milliseconds') end
  if #(job.y or '') > 65536 then return redis.error_reply('BADJOB y has at most 65536 bytes') end

  local function is_there(entry)
    return #redis.call('XRANGE', prefix .. 'jobs:' .. entry:sub(1, 2), entry:sub(4), entry:sub(4)) > 0
  end
  local result = prefix .. 'res:' .. #tenant .. ':' .. tenant .. ':' .. id
  local known = redis.call('GET', result)
  if known and known:sub(1, 1) ~= '-' then return {'DONE', known} end
  if known and is_there(known:sub(2)) then return {'DUP', known:sub(2)} end

  local limits = redis.call('HMGET', prefix .. 'meta', 'backlog', 'tenantBacklog')
  local count = redis.call('XLEN', prefix .. 'jobs:hi') + redis.call('XLEN', prefix .. 'jobs:lo')
  if count >= tonumber(limits[1] or 100000) then return {'BUSY'} end
  local tenants = prefix .. 'tenant:' .. tenant
  local share = tonumber(limits[2] or 100000)
  if redis.call('ZCARD', tenants) >= share then
    -- Entries that somebody removed by hand are not held against the tenant.
    for _, entry in ipairs(redis.call('ZRANGE', tenants, 0, 9)) do
      if not is_there(entry) then redis.call('ZREM', tenants, entry) end
    end
    if redis.call('ZCARD', tenants) >= share then return {'BUSY'} end
  end

  local number = redis.call('XADD', stream, '*', unpack(fields))
  local entry = priority .. '/' .. number
  redis.call('ZADD', tenants, number:match('^%d+'), entry)
  -- The mark goes with the answer; a day is for what was removed by hand.
  redis.call('SET', result, '-' .. entry, 'PX', string.format('%.0f', budget + 86400000))
  return {'OK', entry}
end
return enqueue(KEYS[1], ARGV[1], {unpack(ARGV, 2)})
