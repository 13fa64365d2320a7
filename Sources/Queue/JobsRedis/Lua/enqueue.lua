return enqueue(KEYS[1], ARGV[1], {unpack(ARGV, 2)})
