-- Deletes the dead letters and returns their number.

local dead = KEYS[1] .. 'dead'
local count = redis.call('XLEN', dead)
redis.call('DEL', dead)
return count
