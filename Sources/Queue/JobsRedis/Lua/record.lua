-- Records that files were made. Arguments: the lifetime of the record, the name of the source, and a file.

local made = KEYS[1] .. 'made:'
redis.call('HSET', made .. 's:' .. ARGV[2], ARGV[3], 1)
redis.call('PEXPIRE', made .. 's:' .. ARGV[2], ARGV[1])
redis.call('SET', made .. 'f:' .. ARGV[3], 1, 'PX', ARGV[1])
return 'OK'
