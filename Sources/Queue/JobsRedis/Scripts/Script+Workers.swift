// Scripts for workers. `ARGV[1]` is the worker's name among the group's consumers.
extension Script {
    /// Defines a function that gives an entry to this worker under a new fence. An entry that is no longer in the
    /// stream is acknowledged.
    private static let claim = """
        local found = {milliseconds()}
        local function claim(priority, id)
          local key = prefix .. 'jobs:' .. priority
          local claimed = redis.call('XCLAIM', key, 'workers', ARGV[1], 0, id)[1]
          if not claimed then
            redis.call('XACK', key, 'workers', id)
            return
          end
          local entry = priority .. '/' .. id
          local _, fence = owner(entry)
          local count = start_count(entry)
          table.insert(found, {entry, fence, count, claimed[2]})
        end
        """

    /// Leases entries that were given back, then new ones, from each stream in order of priority. Returns the time,
    /// then the entries: their names, fences, starts and fields. Arguments: the maximum number.
    static let lease = Script(
        common,
        claim,
        """
        local limit = tonumber(ARGV[2]) + 1
        for _, priority in ipairs({'hi', 'lo'}) do
          local key = prefix .. 'jobs:' .. priority
          if #found < limit then
            local released = redis.call('XPENDING', key, 'workers', '-', '+', limit - #found, 'released')
            for _, pending in ipairs(released) do claim(priority, pending[1]) end
          end
          if #found < limit then
            local read = redis.call('XREADGROUP', 'GROUP', 'workers', ARGV[1], 'COUNT', limit - #found,
              'STREAMS', key, '>')
            for _, new in ipairs(read and read[1][2] or {}) do
              table.insert(found, {priority .. '/' .. new[1], 1, 0, new[2]})
            end
          end
        end
        return found
        """
    )

    /// Leases entries whose lease was not renewed, and answers as `lease` does. Arguments: the maximum number, the
    /// lease time.
    static let reclaim = Script(
        common,
        claim,
        """
        local limit = tonumber(ARGV[2]) + 1
        for _, priority in ipairs({'hi', 'lo'}) do
          if #found < limit then
            local idle = redis.call('XPENDING', prefix .. 'jobs:' .. priority, 'workers', 'IDLE', ARGV[3],
              '-', '+', limit - #found)
            for _, pending in ipairs(idle) do claim(priority, pending[1]) end
          end
        end
        return found
        """
    )

    /// Counts a start. A repeated call counts once. Arguments: the entry, its fence.
    static let start = Script(
        common,
        """
        if not owns(ARGV[1], ARGV[2], ARGV[3]) then return 0 end
        local count, fence = start_count(ARGV[2])
        if fence ~= tonumber(ARGV[3]) then redis.call('HSET', starts, ARGV[2], (count + 1) .. ' ' .. ARGV[3]) end
        return 1
        """,
        isRepeatable: true
    )

    /// Renews leases and returns the indexes of the lost ones. Arguments: entries and their fences.
    static let renew = Script(
        common,
        """
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
        """,
        isRepeatable: true
    )

    /// Answers a job. Arguments: the entry, its fence, the status, the body, the time for which the answer is kept.
    static let finish = Script(
        common,
        answer,
        """
        local job = owns(ARGV[1], ARGV[2], ARGV[3]) and read(ARGV[2])
        if not job then return 0 end
        answer(ARGV[2], job, ARGV[4], ARGV[5], tonumber(ARGV[6]))
        return 1
        """,
        isAcknowledged: true
    )

    /// Answers a job as `finish` does, and adds it to the dead letters.
    static let deadLetter = Script(
        common,
        answer,
        """
        local entry = ARGV[2]
        if not owns(ARGV[1], entry, ARGV[3]) then return 0 end
        local count = start_count(entry)
        local key, id = locate(entry)
        local found = redis.call('XRANGE', key, id, id)[1]
        if not found then return 0 end
        answer(entry, map(found[2]), ARGV[4], ARGV[5], tonumber(ARGV[6]))
        local letter = found[2]
        for _, word in ipairs({'entry', entry, 'worker', ARGV[1], 'starts', tostring(count)}) do
          table.insert(letter, word)
        end
        redis.call('XADD', prefix .. 'dead', 'MAXLEN', '~', 10000, '*', unpack(letter))
        return 1
        """,
        isAcknowledged: true
    )

    /// Gives entries to the consumer `released`, from which `lease` takes them. Arguments: entries and their fences.
    static let giveBack = Script(
        common,
        """
        for i = 2, #ARGV, 2 do
          local key, id = locate(ARGV[i])
          if owns(ARGV[1], ARGV[i], ARGV[i + 1]) then
            redis.call('XCLAIM', key, 'workers', 'released', 0, id, 'JUSTID')
          end
        end
        return 'OK'
        """,
        isRepeatable: true
    )

    /// Removes the worker from the group, unless it still has entries, which would be lost with it.
    static let leave = Script(
        common,
        """
        for _, priority in ipairs({'hi', 'lo'}) do
          local key = prefix .. 'jobs:' .. priority
          if #redis.call('XPENDING', key, 'workers', '-', '+', 1, ARGV[1]) == 0 then
            redis.call('XGROUP', 'DELCONSUMER', key, 'workers', ARGV[1])
          end
        end
        return 'OK'
        """
    )
}
