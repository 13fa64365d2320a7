-- Lets a script go on although the server's memory is full: Redis refuses only a script's first change (`maxmemory`).
-- All scripts but those for new jobs begin with it, because they free memory, or need little.

redis.call('DEL', KEYS[1] .. 'none')

