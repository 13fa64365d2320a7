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
            redis.call('ZREM', prefix .. 'due', priority .. '/' .. id)
            return
          end
          local entry = priority .. '/' .. id
          local _, fence = owner(entry)
          local count = start_count(entry)
          forget(entry, map(claimed[2]))
          table.insert(found, {entry, fence, count, claimed[2]})
        end
        """

    /// Leases waiting entries of each priority, in turns of their tenants. Returns the time, then the entries: their
    /// names, fences, starts and fields, and `more` if another call would find more. Arguments: the maximum number, and if only `ExtraJobs` are wanted, the time within
    /// which an entry is due soon, and pairs of a priority and a tenant to pass over.
    static let lease = Script(
        common,
        line,
        claim,
        """
        local limit = tonumber(ARGV[2]) + 1
        for _, priority in ipairs({'hi', 'lo'}) do line_up(priority) end
        local besides = ARGV[3] and {hi = {}, lo = {}} or {}
        for i = 4, #ARGV, 2 do besides[ARGV[i]][line_of(ARGV[i], ARGV[i + 1])] = true end
        -- Entries that do not wait any more are passed over in several steps.
        local passed = 0
        for _, priority in ipairs({'hi', 'lo'}) do
          if #found < limit and passed < 1000 then
            take_turns(priority, besides[priority], function(id)
              local count = #found
              if owner(priority .. '/' .. id) == 'released' then claim(priority, id) end
              if #found == count then passed = passed + 1 end
              return #found < limit and passed < 1000, #found > count
            end)
          end
        end
        if ARGV[3] and #found < limit then
          local latest, count = string.format('%.0f', found[1] + ARGV[3]), limit - #found
          for _, entry in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'due', '-inf', latest, 'LIMIT', 0, count)) do
            if is_still_waiting(entry) then claim(entry:sub(1, 2), entry:sub(4)) end
          end
        end
        if redis.call('EXISTS', prefix .. 'due') == 0 then
          redis.call('DEL', prefix .. 'turns:hi', prefix .. 'turns:lo')
        end
        if passed >= 1000 then table.insert(found, 'more') end
        return found
        """
    )

    /// Records the history of changes that the server goes on with, and the time if it is another one than before. That
    /// is so after a restart and after a fail-over: nobody could renew leases meanwhile. Arguments: the history.
    static let noteHistory = Script(
        common,
        """
        local meta = prefix .. 'meta'
        local known = redis.call('HGET', meta, 'history')
        if known == ARGV[1] then return 0 end
        redis.call('HSET', meta, 'history', ARGV[1])
        if known then redis.call('HSET', meta, 'since', milliseconds()) end
        return 1
        """
    )

    /// Leases entries whose lease was not renewed, and answers as `lease` does. For the length of a lease after the
    /// server went on with another history, it leases none, so that their workers can renew. Also lines up entries that
    /// workers of an earlier version gave back. Arguments: the maximum number, the lease time.
    static let reclaim = Script(
        common,
        line,
        claim,
        """
        local limit, now = tonumber(ARGV[2]) + 1, found[1]
        local since = tonumber(redis.call('HGET', prefix .. 'meta', 'since') or 0) or 0
        if since <= now and now - since < tonumber(ARGV[3]) then limit = 1 end
        for _, priority in ipairs({'hi', 'lo'}) do
          local key, lost = prefix .. 'jobs:' .. priority, {}
          for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
            consumer = map(consumer)
            if #found < limit and consumer.pending > 0 and consumer.name ~= 'released' then
              local idle = redis.call('XPENDING', key, 'workers', 'IDLE', ARGV[3], '-', '+', limit - #found,
                consumer.name)
              for _, pending in ipairs(idle) do table.insert(lost, pending[1]) end
            end
          end
          -- The oldest first, whoever had them.
          local function number(id) return tonumber(id:match('^%d+')), tonumber(id:match('%d+$')) end
          table.sort(lost, function(left, right)
            local a, b = number(left)
            local c, d = number(right)
            return a < c or a == c and b < d
          end)
          for _, id in ipairs(lost) do
            if #found < limit then claim(priority, id) end
          end
          look_over(priority)
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

    /// Gives entries to the consumer `released`, from which `lease` takes them. Arguments: 1 if starts under these
    /// leases no longer count, entries and their fences.
    static let giveBack = Script(
        common,
        line,
        """
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
        """,
        isRepeatable: true
    )

    /// Removes the worker from the group, unless it still has entries, which would be lost with it.
    static let leave = Script(
        common,
        """
        redis.call('DEL', prefix .. 'w:' .. ARGV[1])
        redis.call('ZREM', prefix .. 'workers', ARGV[1])
        for _, priority in ipairs({'hi', 'lo'}) do
          local key = prefix .. 'jobs:' .. priority
          for _, name in ipairs({ARGV[1], 'released'}) do
            if #redis.call('XPENDING', key, 'workers', '-', '+', 1, name) == 0 then
              redis.call('XGROUP', 'DELCONSUMER', key, 'workers', name)
            end
          end
        end
        return 'OK'
        """
    )
}
