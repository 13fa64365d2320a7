-- Keeps an entry beside the queue, without a lifetime. Arguments: its name, its value, and NX to keep an existing one.

local arguments = {'SET', KEYS[1] .. ARGV[1], ARGV[2]}
if ARGV[3] then table.insert(arguments, ARGV[3]) end
redis.call(unpack(arguments))
return 'OK'
