-- Gives entries to the consumer `released`, from which `lease` takes them. Arguments: 1 if starts under these
-- leases no longer count, entries and their fences.

for i = 3, #ARGV, 2 do
  local key, id = locate(ARGV[i])
  if owns(ARGV[1], ARGV[i], ARGV[i + 1]) then
    local count, fence = start_count(ARGV[i])
    if ARGV[2] == '1' and fence == tonumber(ARGV[i + 1]) then
      redis.call('HSET', starts, ARGV[i], math.max(0, count - 1) .. ' 0')
    end
    redis.call('XCLAIM', key, 'workers', 'released', 0, id, 'JUSTID')
    local job = read(ARGV[i])
    if job then wait_in_line(ARGV[i], job) end
  end
end
return 'OK'
