-- Adds a job to an attachd queue, protocol version 1, unless its name is known or the queue is full.
-- KEYS[1]: the queue's prefix, such as attachd:{default}:
-- ARGV: the priority, hi or lo, then the entry's fields, each a name and a value
-- Answers {'OK', entry}, {'DUP', entry}, {'DONE', status + newline + body}, or {'BUSY'}, with 'tenant' if only
-- the tenant's share of the queue is full, and with 'memory' if the server's memory is.

-- Returns the number that a text has in decimal digits; nil for any other text, such as inf, nan or 1e9.
local function whole(text, low, high)
  text = tostring(text)
  local number = #text <= 15 and text:match('^%d+$') and tonumber(text)
  if number and number >= low and number <= high then return number end
end

-- Returns the bytes of the answers that are still to be posted, or fewer while they are below the limit.
local function owed_bytes(prefix, limit)
  local known = tonumber(redis.call('HGET', prefix .. 'meta', 'owedBytes') or 0) or 0
  if known < limit then return known end
  -- Workers of an earlier version do not reduce the count, so a small number of answers is counted again.
  local callbacks = prefix .. 'callbacks'
  if redis.call('ZCARD', callbacks) > 1000 then return known end
  local sum = 0
  for _, entry in ipairs(redis.call('ZRANGE', callbacks, 0, -1)) do
    sum = sum + redis.call('HSTRLEN', prefix .. 'callback:' .. entry, 'y')
  end
  redis.call('HSET', prefix .. 'meta', 'owedBytes', string.format('%.0f', sum))
  return sum
end

-- Whether the server has too little memory for more jobs. The last tenth of it is for answers. A producer that may not
-- ask gets the server's own error (OOM).
local function is_short_of_memory()
  local info = redis.pcall('INFO', 'memory')
  if type(info) ~= 'string' or not info:find('maxmemory_policy:noeviction', 1, true) then return false end
  local used, limit = info:match('used_memory:(%d+)'), info:match('maxmemory:(%d+)')
  return used and limit and tonumber(limit) > 0 and used / limit >= 0.9
end

local function enqueue(prefix, priority, fields)
  local stream = prefix .. 'jobs:' .. priority
  local job = {}
  for i = 1, #fields, 2 do job[fields[i]] = fields[i + 1] end
  local tenant, id, budget = job.t or 'default', job.j or '', whole(job.b, 1, 86400000)
  if priority ~= 'hi' and priority ~= 'lo' then return redis.error_reply('BADJOB the priority is hi or lo') end
  if #id < 1 or #id > 128 then return redis.error_reply('BADJOB j has 1 to 128 bytes') end
  if #tenant < 1 or #tenant > 64 or tenant:find('[^%w._-]') then
    return redis.error_reply('BADJOB t has 1 to 64 letters, digits, dots, underscores or hyphens')
  end
  if #(job.p or '') > 128 then return redis.error_reply('BADJOB p has at most 128 bytes') end
  if #(job.cb or '') > 2048 then return redis.error_reply('BADJOB cb has at most 2048 bytes') end
  if not budget then return redis.error_reply('BADJOB b is a whole number of milliseconds, 1 to 86400000') end
  if #(job.y or '') > 65536 then return redis.error_reply('BADJOB y has at most 65536 bytes') end

  local function is_there(entry)
    return #redis.call('XRANGE', prefix .. 'jobs:' .. entry:sub(1, 2), entry:sub(4), entry:sub(4)) > 0
  end
  local result = prefix .. 'res:' .. #tenant .. ':' .. tenant .. ':' .. id
  local known = redis.call('GET', result)
  if known and known:sub(1, 1) ~= '-' then return {'DONE', known} end
  if known and is_there(known:sub(2)) then return {'DUP', known:sub(2)} end

  local limits = redis.call('HMGET', prefix .. 'meta', 'backlog', 'tenantBacklog', 'answerBytes', 'share',
    'share:' .. tenant, 'listed', 'backlogBytes')
  local backlog, share = whole(limits[1] or 100000, 1, 1e9), whole(limits[2] or 100000, 1, 1e9)
  -- Where tenants are listed, all other names have one share together.
  local others = (limits[6] or '') ~= '' and tenant ~= 'default'
    and not limits[6]:find(',' .. tenant .. ',', 1, true)
  -- A tenant's own share, or that of all tenants with names, replaces the limit of every tenant.
  local own = limits[5] or (tenant ~= 'default' and limits[4])
  if share and own then share = whole(own, 1, 1e9) end
  local bytes = backlog and whole(limits[3] or backlog * 8192, 1, 1e14)
  local room = whole(limits[7] or 500000000, 1, 1e14)
  if not (share and bytes and room) then
    return redis.error_reply('BADLIMIT backlog, backlogBytes, tenantBacklog, answerBytes and shares are whole numbers '
      .. 'from 1')
  end
  -- Answers that are still to be posted count like jobs.
  local open = redis.call('XLEN', prefix .. 'jobs:hi') + redis.call('XLEN', prefix .. 'jobs:lo')
  local count = open + redis.call('ZCARD', prefix .. 'callbacks')
  if count >= backlog or owed_bytes(prefix, bytes) >= bytes then return {'BUSY'} end
  if is_short_of_memory() then return {'BUSY', 'memory'} end
  -- Workers of an earlier version do not give bytes back. Then more sizes are known than there are jobs, and counting
  -- begins again.
  if redis.call('HLEN', prefix .. 'sizes') > open then redis.call('DEL', prefix .. 'bytes', prefix .. 'sizes') end
  local line, size = others and '*' or tenant, #(job.y or '')
  local used = redis.call('HMGET', prefix .. 'bytes', 'total', 'of:' .. line)
  if (used[1] or 0) + size > room then return {'BUSY'} end
  if (used[2] or 0) + size > room * math.min(1, share / backlog) then return {'BUSY', 'tenant'} end
  local tenants = prefix .. 'tenant:' .. line
  if redis.call('ZCARD', tenants) >= share then
    -- Entries that were removed by hand do not count for the tenant.
    for _, entry in ipairs(redis.call('ZRANGE', tenants, 0, 9)) do
      local is_open = is_there(entry) or redis.call('EXISTS', prefix .. 'callback:' .. entry) == 1
      if not is_open then redis.call('ZREM', tenants, entry) end
    end
    if redis.call('ZCARD', tenants) >= share then return {'BUSY', 'tenant'} end
  end

  local number = redis.call('XADD', stream, '*', unpack(fields))
  local entry = priority .. '/' .. number
  redis.call('ZADD', tenants, number:match('^%d+'), entry)
  redis.call('HSET', prefix .. 'sizes', entry, size .. ' ' .. line)
  redis.call('HINCRBY', prefix .. 'bytes', 'total', size)
  redis.call('HINCRBY', prefix .. 'bytes', 'of:' .. line, size)
  -- The answer replaces the mark. The additional day is for jobs that were removed by hand.
  redis.call('SET', result, '-' .. entry, 'PX', string.format('%.0f', budget + 86400000))
  return {'OK', entry}
end
return enqueue(KEYS[1], ARGV[1], {unpack(ARGV, 2)})
