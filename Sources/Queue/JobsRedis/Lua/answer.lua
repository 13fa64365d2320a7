-- Defines a function that answers a job: it stores the result, adds it to the producer's stream and callback, and
-- removes the entry.

local function answer(entry, job, status, body, keep)
  local key, id = locate(entry)
  local tenant, name = tenant_of(job), job.j or entry
  if #name > 128 then name = entry end
  redis.call('SET', result_key(tenant, name), status .. '\n' .. body, 'PX', keep)
  -- An entry that was written without the script may have a text of any length here.
  if job.p and #job.p >= 1 and #job.p <= 128 then
    local replies = prefix .. 'reply:' .. job.p
    redis.call('XADD', replies, 'MAXLEN', '~', 100000, '*', 'j', name, 't', tenant, 's', status, 'y', body)
    -- A producer that reads nothing holds no more memory than its answers of this time.
    local time = math.max(keep, 60000)
    redis.call('XTRIM', replies, 'MINID', '~', string.format('%.0f', milliseconds() - time))
    redis.call('PEXPIRE', replies, time)
  end
  if job.cb and #job.cb >= 1 and #job.cb <= 2048 then
    local now = milliseconds()
    redis.call('HSET', prefix .. 'callback:' .. entry, 'j', name, 't', tenant, 'cb', job.cb, 's', status,
      'y', body, 'tp', job.tp or '', 'ts', job.ts or '', 'at', now, 'failures', 0, 'fence', 0)
    redis.call('HINCRBY', prefix .. 'meta', 'owedBytes', #body)
    redis.call('ZADD', prefix .. 'callbacks', now, entry)
  else
    redis.call('ZREM', prefix .. 'tenant:' .. (job.t or tenant), entry)
    redis.call('ZREM', prefix .. 'tenant:*', entry)
  end
  give_room_back(entry)
  forget(entry, job)
  redis.call('XACK', key, 'workers', id)
  redis.call('XDEL', key, id)
  redis.call('HDEL', starts, entry)
  redis.call('HINCRBY', prefix .. 'meta', 'answered', 1)
end
