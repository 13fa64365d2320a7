// Scripts for the number of workers.
extension Script {
    /// Records that a worker lives. Arguments: its name, the lifetime of the report, its slots, its jobs in progress, its
    /// rate.
    static let report = Script(
        common,
        """
        local key, now = prefix .. 'w:' .. ARGV[1], milliseconds()
        redis.call('HSET', key, 'slots', ARGV[3], 'running', ARGV[4], 'rate', ARGV[5])
        redis.call('PEXPIRE', key, ARGV[2])
        redis.call('ZADD', prefix .. 'workers', now + ARGV[2], ARGV[1])
        redis.call('ZREMRANGEBYSCORE', prefix .. 'workers', '-inf', now)
        return 'OK'
        """,
        isRepeatable: true
    )

    /// Returns the time, the numbers of waiting jobs, leased jobs, callbacks and all jobs that there ever were, what the
    /// scaling rule remembers, the numbers of waiting jobs by deadline, and the workers: their slots, jobs in progress
    /// and rates. Arguments: the times ahead by which deadlines are counted.
    static let load = Script(
        common,
        line,
        """
        local now, total, leased = milliseconds(), 0, 0
        for _, priority in ipairs({'hi', 'lo'}) do
          line_up(priority)
          local key = prefix .. 'jobs:' .. priority
          total = total + redis.call('XLEN', key)
          leased = leased + redis.call('XPENDING', key, 'workers')[1]
          for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
            consumer = map(consumer)
            if consumer.name == 'released' then leased = leased - consumer.pending end
          end
        end
        leased = math.max(0, leased)
        local due, workers = {}, {}
        for i = 2, #ARGV do
          table.insert(due, redis.call('ZCOUNT', prefix .. 'due', '-inf', string.format('%.0f', now + ARGV[i])))
        end
        local names = redis.call('ZRANGEBYSCORE', prefix .. 'workers', now, '+inf', 'LIMIT', 0, 10000)
        for _, name in ipairs(names) do
          local fields = redis.call('HMGET', prefix .. 'w:' .. name, 'slots', 'running', 'rate')
          if fields[1] then table.insert(workers, fields) end
        end
        local answered = tonumber(redis.call('HGET', prefix .. 'meta', 'answered') or 0) or 0
        return {now, math.max(0, total - leased), leased, redis.call('ZCARD', prefix .. 'callbacks'), answered + total,
          redis.call('GET', prefix .. 'scaling') or '', due, workers}
        """,
        isRepeatable: true
    )

    /// Stores what the scaling rule remembers, unless it is no longer what it was. Arguments: the former text, or an
    /// empty one for none; the new text.
    static let storeScaling = Script(
        """
        local key = KEYS[1] .. 'scaling'
        if (redis.call('GET', key) or '') ~= ARGV[1] then return 0 end
        redis.call('SET', key, ARGV[2], 'PX', 86400000)
        return 1
        """
    )
}
