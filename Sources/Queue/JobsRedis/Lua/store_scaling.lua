-- Stores what the scaling rule remembers, unless it is no longer what it was. Arguments: the former text, or an
-- empty one for none; the new text.

local key = KEYS[1] .. 'scaling'
if (redis.call('GET', key) or '') ~= ARGV[1] then return 0 end
redis.call('SET', key, ARGV[2], 'PX', 86400000)
return 1
