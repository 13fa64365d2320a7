/// What workers run. `ARGV[1]` is the worker's name among the group's consumers.
extension Script {
    /// Makes an entry this worker's, under a new fence. What is no longer in the stream is forgotten.
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

    /// What was given back, then what is new, the streams in their order. Answers the time, then the entries: their
    /// names, fences, starts and fields. Arguments: how many at most.
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

    /// As `lease`, what has not been renewed. Arguments: how many at most, the lease's time.
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

    /// Counts a start once, however often it is told of it. Arguments: the entry, its fence.
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

    /// Arguments: entries and their fences. Answers the indexes of those that are lost.
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

    /// Arguments: the entry, its fence, the status, the body, for how long the answer is kept.
    static let finish = Script(
        common,
        answer,
        """
        local job = owns(ARGV[1], ARGV[2], ARGV[3]) and read(ARGV[2])
        if not job then return 0 end
        answer(ARGV[2], job, ARGV[4], ARGV[5], tonumber(ARGV[6]))
        return 1
        """
    )

    /// As `finish`; the job goes to the dead letters too.
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
        """
    )

    /// Hands entries to nobody, from whom `lease` takes them. Arguments: entries and their fences.
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

    /// Forgets the worker, unless it has entries: they would be lost with it.
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
