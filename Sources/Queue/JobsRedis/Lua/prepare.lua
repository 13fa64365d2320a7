-- Creates the consumer group, sets the queue's limits, and removes workers that ended without leaving. Arguments:
-- `set` or `keep` for limits that are there already, the backlog, a tenant's share of it, the bytes of answers still
-- to be posted, then names and values of further shares.

local prefix = KEYS[1]
local version = redis.call('HGET', prefix .. 'meta', 'proto')
if version and version ~= '1' then
  return redis.error_reply('MISMATCH this queue speaks version ' .. version .. ' of the protocol, not 1')
end
if ARGV[1] == 'set' or not version then
  redis.call('HSET', prefix .. 'meta', 'proto', 1, 'backlog', ARGV[2], 'tenantBacklog', ARGV[3],
    'answerBytes', ARGV[4])
  for _, field in ipairs(redis.call('HKEYS', prefix .. 'meta')) do
    if field == 'listed' or field == 'share' or field:sub(1, 6) == 'share:' then
      redis.call('HDEL', prefix .. 'meta', field)
    end
  end
  for i = 5, #ARGV, 2 do redis.call('HSET', prefix .. 'meta', ARGV[i], ARGV[i + 1]) end
end
for _, priority in ipairs({'hi', 'lo'}) do
  local key = prefix .. 'jobs:' .. priority
  local made = redis.pcall('XGROUP', 'CREATE', key, 'workers', '0', 'MKSTREAM')
  if made.err and not made.err:find('BUSYGROUP') then return made end
  for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
    local consumer = {}
    for i = 1, #info, 2 do consumer[info[i]] = info[i + 1] end
    if consumer.pending == 0 and consumer.idle > 3600000 then
      redis.call('XGROUP', 'DELCONSUMER', key, 'workers', consumer.name)
    end
  end
end
return 'OK'
