/// Answers that are still to be posted: a sorted set of entries by the time when they are due, and a hash for each.
extension Script {
    /// Takes what is due, and has it due again when the lease ends. Answers the time, then the entries: their names,
    /// fences and fields. Arguments: how many at most, the lease's time.
    static let leaseCallbacks = Script(
        common,
        """
        local now = milliseconds()
        local found = {now}
        local due = redis.call('ZRANGEBYSCORE', prefix .. 'callbacks', '-inf', now, 'LIMIT', 0, ARGV[1])
        for _, entry in ipairs(due) do
          local key = prefix .. 'callback:' .. entry
          if redis.call('EXISTS', key) == 1 then
            local fence = redis.call('HINCRBY', key, 'fence', 1)
            redis.call('ZADD', prefix .. 'callbacks', now + ARGV[2], entry)
            table.insert(found, {entry, fence, redis.call('HGETALL', key)})
          else
            redis.call('ZREM', prefix .. 'callbacks', entry)
          end
        end
        return found
        """
    )

    /// Arguments: the entry, its fence.
    static let finishCallback = Script(
        common,
        """
        local key = prefix .. 'callback:' .. ARGV[1]
        if redis.call('HGET', key, 'fence') ~= ARGV[2] then return 0 end
        local tenant, size = redis.call('HGET', key, 't'), redis.call('HSTRLEN', key, 'y')
        redis.call('DEL', key)
        redis.call('ZREM', prefix .. 'callbacks', ARGV[1])
        redis.call('ZREM', prefix .. 'tenant:' .. (tenant or 'default'), ARGV[1])
        if redis.call('ZCARD', prefix .. 'callbacks') == 0 then
          redis.call('HDEL', prefix .. 'meta', 'owedBytes')
        else
          redis.call('HINCRBY', prefix .. 'meta', 'owedBytes', -size)
        end
        return 1
        """
    )

    /// Postpones a callback. Another fence ends its lease. Where no try was made, the lease is taken back: it does not
    /// count as an attempt. Arguments: the entry, its fence, after how long it is due again, the number of failures (0, 1).
    static let postponeCallback = Script(
        common,
        """
        local key = prefix .. 'callback:' .. ARGV[1]
        if redis.call('HGET', key, 'fence') ~= ARGV[2] then return 0 end
        redis.call('HINCRBY', key, 'failures', ARGV[4])
        redis.call('HINCRBY', key, 'fence', ARGV[4] == '1' and 1 or -1)
        redis.call('ZADD', prefix .. 'callbacks', milliseconds() + ARGV[3], ARGV[1])
        return 1
        """
    )
}
