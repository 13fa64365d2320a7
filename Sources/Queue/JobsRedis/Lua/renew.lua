-- Renews leases and returns the indexes of the lost ones. Arguments: entries and their fences.

local lost = {}
for i = 2, #ARGV, 2 do
  local key, id = locate(ARGV[i])
  if owns(ARGV[1], ARGV[i], ARGV[i + 1]) then
    redis.call('XCLAIM', key, 'workers', ARGV[1], 0, id, 'JUSTID')
  else
    table.insert(lost, i / 2 - 1)
  end
end
return lost
