// Scripts for answers to post. They are in a sorted set of entries by due time, and a hash for each entry.
extension Script {
    /// Leases due callbacks and makes them due again when the lease ends. Returns the time, then the entries: their
    /// names, fences and fields. Arguments: the maximum number, the lease time.
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
        """,
        isAcknowledged: true
    )

    /// Removes a callback. Arguments: the entry, its fence.
    static let finishCallback = Script(
        common,
        """
        local key = prefix .. 'callback:' .. ARGV[1]
        if redis.call('HGET', key, 'fence') ~= ARGV[2] then return 0 end
        local tenant, size = redis.call('HGET', key, 't'), redis.call('HSTRLEN', key, 'y')
        redis.call('DEL', key)
        redis.call('ZREM', prefix .. 'callbacks', ARGV[1])
        redis.call('ZREM', prefix .. 'tenant:' .. (tenant or 'default'), ARGV[1])
        redis.call('ZREM', prefix .. 'tenant:*', ARGV[1])
        if redis.call('ZCARD', prefix .. 'callbacks') == 0 then
          redis.call('HDEL', prefix .. 'meta', 'owedBytes')
        else
          redis.call('HINCRBY', prefix .. 'meta', 'owedBytes', -size)
        end
        return 1
        """
    )

    /// Postpones a callback. A new fence ends its lease. If no attempt was made, the fence goes back instead, so that
    /// the lease does not count as an attempt. Arguments: the entry, its fence, the delay, the number of failures (0 or
    /// 1).
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
