// Scripts for inspection and administration.
extension Script {
    /// Returns the numbers of waiting jobs, leased jobs, dead letters and callbacks, and the waiting time of the oldest
    /// job, or -1. `lag` of XINFO would be wrong after a waiting job was cancelled.
    static let status = Script(
        common,
        """
        local total, leased, oldest, now = 0, 0, nil, milliseconds()
        local function waits(id)
          local since = tonumber(id:match('^%d+'))
          oldest = math.min(oldest or since, since)
        end
        for _, priority in ipairs({'hi', 'lo'}) do
          local key = prefix .. 'jobs:' .. priority
          total = total + redis.call('XLEN', key)
          for _, group in ipairs(redis.call('XINFO', 'GROUPS', key)) do
            group = map(group)
            if group.name == 'workers' then
              leased = leased + group.pending
              local new = redis.call('XRANGE', key, '(' .. group['last-delivered-id'], '+', 'COUNT', 1)[1]
              if new then waits(new[1]) end
            end
          end
          for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
            consumer = map(consumer)
            if consumer.name == 'released' then leased = leased - consumer.pending end
          end
          local released = redis.call('XPENDING', key, 'workers', '-', '+', 1, 'released')[1]
          if released then waits(released[1]) end
        end
        return {math.max(0, total - leased), math.max(0, leased), redis.call('XLEN', prefix .. 'dead'), redis.call('ZCARD', prefix .. 'callbacks'),
          oldest and math.max(0, now - oldest) or -1}
        """,
        isRepeatable: true
    )

    /// Returns the oldest jobs of each stream: name, tenant, time to the deadline, starts, and 1 if it runs. Arguments:
    /// the maximum number for each stream.
    static let jobs = Script(
        common,
        """
        local found, now = {}, milliseconds()
        for _, priority in ipairs({'hi', 'lo'}) do
          for _, item in ipairs(redis.call('XRANGE', prefix .. 'jobs:' .. priority, '-', '+', 'COUNT', ARGV[1])) do
            local entry, job = priority .. '/' .. item[1], map(item[2])
            -- A producer that writes to the stream itself may write anything.
            local budget = (job.b or ''):match('^%d+$')
            local deadline = item[1]:match('^%d+') + (budget and #budget <= 15 and tonumber(budget) or 0)
            table.insert(found, {job.j or entry, job.t or 'default', deadline - now, (start_count(entry)),
              is_leased(entry) and 1 or 0})
          end
        end
        return found
        """,
        isRepeatable: true
    )

    /// Enqueues a dead letter again. Answers as `enqueue` does, or nil if the letter is gone. Arguments: its id.
    static let retry = Script(
        enqueueFunction,
        """
        local dead = KEYS[1] .. 'dead'
        local found = redis.call('XRANGE', dead, ARGV[1], ARGV[1])[1]
        if not found then return false end
        local fields, job, priority = {}, {}, 'hi'
        for i = 1, #found[2], 2 do
          local name, value = found[2][i], found[2][i + 1]
          job[name] = value
          if name == 'entry' then
            priority = value:sub(1, 2)
          elseif name ~= 'worker' and name ~= 'starts' then
            table.insert(fields, name)
            table.insert(fields, value)
          end
        end
        local tenant, id = job.t or 'default', job.j or ''
        local result = KEYS[1] .. 'res:' .. #tenant .. ':' .. tenant .. ':' .. id
        local known = redis.call('GET', result)
        local kept = known and known:sub(1, 1) ~= '-'
        if kept then redis.call('RENAME', result, KEYS[1] .. 'kept') end
        local answer = enqueue(KEYS[1], priority, fields)
        if answer[1] == 'OK' then
          redis.call('XDEL', dead, ARGV[1])
          redis.call('DEL', KEYS[1] .. 'kept')
        elseif kept then
          redis.call('RENAME', KEYS[1] .. 'kept', result)
        end
        return answer
        """,
        isAcknowledged: true
    )

    /// Deletes the dead letters and returns their number.
    static let purge = Script(
        """
        local dead = KEYS[1] .. 'dead'
        local count = redis.call('XLEN', dead)
        redis.call('DEL', dead)
        return count
        """
    )
}
