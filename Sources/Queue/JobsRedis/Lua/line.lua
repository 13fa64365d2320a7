-- The lines in which entries wait. The consumer `released` has the waiting entries, and stands for nobody. Each
-- tenant's entries are in a sorted set by deadline, and all of them in another. They are an index only: an entry that
-- is missing there is found again, and one that is no longer waiting is dropped.
--
-- Defines the functions that put entries in line, and take them in turns. The rule is that of `TenantTurns`, and
-- of `TenantLines`.

local lead, free_limit = 8, 16
local listed = redis.call('HGET', prefix .. 'meta', 'listed') or ''

-- Whether a tenant has a line of its own, or takes one. The others share the line *.
local function is_own(priority, tenant)
  if listed ~= '' then return tenant == 'default' or listed:find(',' .. tenant .. ',', 1, true) end
  local tenants, turns = prefix .. 'tenants:' .. priority, prefix .. 'turns:' .. priority
  return redis.call('ZSCORE', tenants, tenant) or redis.call('ZSCORE', turns, tenant)
    or redis.call('ZCARD', tenants) < free_limit and redis.call('ZCARD', turns) < free_limit
end

local function line_of(priority, tenant) return is_own(priority, tenant) and tenant or '*' end

-- Returns the most turns that a tenant has taken lately.
local function most_turns(priority)
  return tonumber(redis.call('ZREVRANGE', prefix .. 'turns:' .. priority, 0, 0, 'WITHSCORES')[2] or 0)
end

local function wait_in_line(entry, job)
  local priority, id = entry:sub(1, 2), entry:sub(4)
  local tenant = line_of(priority, tenant_of(job))
  -- A producer that writes to the stream itself may write any budget.
  local budget = (job.b or ''):match('^%d+$')
  local deadline = id:match('^%d+') + (budget and #budget <= 15 and tonumber(budget) or 0)
  local text = string.format('%.0f', deadline)
  redis.call('ZADD', prefix .. 'waiting:' .. priority .. ':' .. tenant, text, id)
  redis.call('ZADD', prefix .. 'due', text, entry)
  local tenants = prefix .. 'tenants:' .. priority
  if not redis.call('ZSCORE', tenants, tenant) then
    local known = redis.call('ZSCORE', prefix .. 'turns:' .. priority, tenant)
    redis.call('ZADD', tenants, known or (most_turns(priority) - lead), tenant)
  end
end

-- Whether an entry of the index still waits. If not, takes it out of the index.
local function is_still_waiting(entry)
  if owner(entry) == 'released' then return true end
  local job = read(entry)
  if job then forget(entry, job) end
  redis.call('ZREM', prefix .. 'due', entry)
  return false
end

-- Puts new entries of the stream in line: all of them, or as many as take a few milliseconds.
local function line_up(priority)
  local key, count, bytes, more = prefix .. 'jobs:' .. priority, 0, 0, true
  while more and count < 2000 and bytes < 4000000 do
    local answer = redis.call('XREADGROUP', 'GROUP', 'workers', 'released', 'COUNT', 100, 'STREAMS', key, '>')
    local new = answer and answer[1][2] or {}
    for _, item in ipairs(new) do
      local job = map(item[2])
      bytes = bytes + #(job.y or '')
      wait_in_line(priority .. '/' .. item[1], job)
    end
    count, more = count + #new, #new == 100
  end
end

-- Puts entries in line that are not, some at each call, and drops those that no longer wait. Workers of an earlier
-- version leave such.
local function look_over(priority)
  local key, field = prefix .. 'jobs:' .. priority, 'lookedOver:' .. priority
  local last = redis.call('HGET', prefix .. 'meta', field)
  local start = last and ('(' .. last) or '-'
  local released = redis.call('XPENDING', key, 'workers', start, '+', 100, 'released')
  for _, pending in ipairs(released) do
    local entry = priority .. '/' .. pending[1]
    if not redis.call('ZSCORE', prefix .. 'due', entry) then
      local job = read(entry)
      if job then wait_in_line(entry, job) else redis.call('XACK', key, 'workers', pending[1]) end
    end
  end
  for _, entry in ipairs(redis.call('ZRANGE', prefix .. 'due', 0, 49)) do is_still_waiting(entry) end
  if #released == 100 then
    redis.call('HSET', prefix .. 'meta', field, released[100][1])
  elseif last then
    redis.call('HDEL', prefix .. 'meta', field)
  end
end

-- Calls take with the entries of a priority in the order of the tenants' turns, until it returns false. With
-- besides, passes over these tenants, and takes one entry of each other.
local function take_turns(priority, besides, take)
  local tenants, turns = prefix .. 'tenants:' .. priority, prefix .. 'turns:' .. priority
  local most, waiting = most_turns(priority), {}
  local function look(tenant)
    local head = redis.call('ZRANGE', prefix .. 'waiting:' .. priority .. ':' .. tenant, 0, 0, 'WITHSCORES')
    return head[1], tonumber(head[2])
  end
  local function level_of(name) return math.max(waiting[name].level, most - lead) end
  local in_line = redis.call('ZRANGE', tenants, 0, 255, 'WITHSCORES')
  for i = 1, #in_line, 2 do
    if not (besides and besides[in_line[i]]) then
      local id, deadline = look(in_line[i])
      if id then
        waiting[in_line[i]] = {level = tonumber(in_line[i + 1]), id = id, deadline = deadline}
      else
        redis.call('ZREM', tenants, in_line[i])
      end
    end
  end
  local goes_on = true
  while goes_on do
    local fewest
    for name in pairs(waiting) do fewest = math.min(fewest or math.huge, level_of(name)) end
    local best
    for name, other in pairs(waiting) do
      local first, level = best and waiting[best], level_of(name)
      if level < fewest + lead and (not first or other.deadline < first.deadline
        or other.deadline == first.deadline and (level < level_of(best)
        or level == level_of(best) and name < best)) then best = name end
    end
    if not best then break end
    local tenant = waiting[best]
    tenant.level = level_of(best) + 1
    most = math.max(most, tenant.level)
    redis.call('ZADD', turns, tenant.level, best)
    local entry = priority .. '/' .. tenant.id
    redis.call('ZREM', prefix .. 'waiting:' .. priority .. ':' .. best, tenant.id)
    redis.call('ZREM', prefix .. 'due', entry)
    local is_taken
    goes_on, is_taken = take(tenant.id)
    tenant.id, tenant.deadline = look(best)
    if tenant.id then
      redis.call('ZADD', tenants, tenant.level, best)
    else
      redis.call('ZREM', tenants, best)
      waiting[best] = nil
    end
    if besides and is_taken then waiting[best] = nil end
  end
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', '(' .. string.format('%.0f', most - lead))
  redis.call('ZREMRANGEBYRANK', turns, 0, -1025)
end
