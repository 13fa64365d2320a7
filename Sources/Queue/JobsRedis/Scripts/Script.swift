import CCrypto
import Digests

/// A Lua script that the server runs atomically. `KEYS[1]` is the prefix of the queue's keys. The script derives all
/// other keys from it; they share its hash tag, and so their node in a cluster.
struct Script: Sendable {
    let text: String
    /// A Boolean value that indicates whether the script is idempotent, so that it may be sent again after a lost
    /// connection.
    let isRepeatable: Bool
    /// A Boolean value that indicates whether the reply is an acknowledgement or an answer, which a strict queue gives
    /// only once replicas have it.
    let isAcknowledged: Bool
    /// The SHA-1 of the source, by which the server knows the script.
    private let digest: String

    /// Creates a script from `parts`, each on its own lines.
    init(_ parts: String..., isRepeatable: Bool = false, isAcknowledged: Bool = false) {
        self.isRepeatable = isRepeatable
        self.isAcknowledged = isAcknowledged
        text = parts.joined(separator: "\n")
        digest = Self.digest(Array(text.utf8))
    }

    func command(_ prefix: String, _ arguments: [[UInt8]]) -> RedisCommand {
        RedisCommand(["EVALSHA", digest, "1", prefix].map { Array($0.utf8) } + arguments)
    }

    var load: RedisCommand { RedisCommand("SCRIPT", "LOAD", text) }

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        return Hexadecimal.text(digest)
    }
}

extension Script {
    /// The functions that the other scripts share.
    ///
    /// The name of an entry consists of its stream and its id there, such as `hi/1700000000000-0`. The fence of a lease
    /// is the entry's delivery count. The fence of the last start is stored with the count of starts, so that a
    /// repeated call counts once.
    static let common = """
        local prefix = KEYS[1]
        local starts = prefix .. 'starts'

        local function locate(entry)
          return prefix .. 'jobs:' .. entry:sub(1, 2), entry:sub(4)
        end

        local function map(list)
          local fields = {}
          for i = 1, #list, 2 do fields[list[i]] = list[i + 1] end
          return fields
        end

        local function read(entry)
          local key, id = locate(entry)
          local found = redis.call('XRANGE', key, id, id)[1]
          return found and map(found[2])
        end

        local function milliseconds()
          local time = redis.call('TIME')
          return time[1] * 1000 + math.floor(time[2] / 1000)
        end

        local function result_key(tenant, id)
          return prefix .. 'res:' .. #tenant .. ':' .. tenant .. ':' .. id
        end

        -- Who has the entry, and under which fence; nil when nobody has.
        local function owner(entry)
          local key, id = locate(entry)
          local pending = redis.call('XPENDING', key, 'workers', id, id, 1)[1]
          if pending then return pending[2], tonumber(pending[4]) end
        end

        local function owns(worker, entry, fence)
          local name, current = owner(entry)
          return name == worker and current == tonumber(fence)
        end

        local function start_count(entry)
          local count, fence = string.match(redis.call('HGET', starts, entry) or '0 0', '^(%d+) (%d+)$')
          return math.min(tonumber(count), 1e9), tonumber(fence)
        end

        -- Whether a worker has the entry; "released" is nobody.
        local function is_leased(entry)
          local name = owner(entry)
          return name and name ~= 'released'
        end

        -- Entries that a producer wrote without the script may have any tenant.
        local function tenant_of(job)
          local tenant = job.t or ''
          return #tenant >= 1 and #tenant <= 64 and not tenant:find('[^%w._-]') and tenant or 'default'
        end

        -- Takes an entry out of the lists of waiting entries.
        local function forget(entry, job)
          local priority = entry:sub(1, 2)
          -- It was put in line when others had lines of their own.
          for _, name in ipairs({tenant_of(job), '*'}) do
            local line = prefix .. 'waiting:' .. priority .. ':' .. name
            if redis.call('ZREM', line, entry:sub(4)) == 1 then
              redis.call('ZREM', prefix .. 'due', entry)
              if redis.call('EXISTS', line) == 0 then redis.call('ZREM', prefix .. 'tenants:' .. priority, name) end
            end
          end
        end
        """

    /// Defines a function that answers a job: it stores the result, adds it to the producer's stream and callback, and
    /// removes the entry. The commands that may fail for lack of memory come first, so that the change is complete or
    /// does not happen.
    static let answer = """
        local function answer(entry, job, status, body, keep)
          local key, id = locate(entry)
          local tenant, name = tenant_of(job), job.j or entry
          if #name > 128 then name = entry end
          redis.call('SET', result_key(tenant, name), status .. '\\n' .. body, 'PX', keep)
          -- An entry that was written without the script may have a text of any length here.
          if job.p and #job.p >= 1 and #job.p <= 128 then
            local replies = prefix .. 'reply:' .. job.p
            redis.call('XADD', replies, 'MAXLEN', '~', 100000, '*', 'j', name, 't', tenant, 's', status, 'y', body)
            -- A producer that reads nothing holds no more memory than its answers of this time.
            local time = math.max(keep, 60000)
            redis.call('XTRIM', replies, 'MINID', '~', string.format('%.0f', milliseconds() - time))
            redis.call('PEXPIRE', replies, time)
          end
          if job.cb and #job.cb >= 1 and #job.cb <= 2048 then
            local now = milliseconds()
            redis.call('HSET', prefix .. 'callback:' .. entry, 'j', name, 't', tenant, 'cb', job.cb, 's', status,
              'y', body, 'tp', job.tp or '', 'ts', job.ts or '', 'at', now, 'failures', 0, 'fence', 0)
            redis.call('HINCRBY', prefix .. 'meta', 'owedBytes', #body)
            redis.call('ZADD', prefix .. 'callbacks', now, entry)
          else
            redis.call('ZREM', prefix .. 'tenant:' .. (job.t or tenant), entry)
            redis.call('ZREM', prefix .. 'tenant:*', entry)
          end
          forget(entry, job)
          redis.call('XACK', key, 'workers', id)
          redis.call('XDEL', key, id)
          redis.call('HDEL', starts, entry)
          redis.call('HINCRBY', prefix .. 'meta', 'answered', 1)
        end
        """

    /// The scripts that the server must load before the queue is used.
    static let all = [
        prepare, noteHistory, enqueue, state, cancel, lease, reclaim, start, renew, finish, deadLetter, giveBack, leave,
        leaseCallbacks, finishCallback, postponeCallback, status, jobs, retry, purge, report, load, storeScaling,
    ]

    /// Creates the consumer group, sets the queue's limits, and removes workers that ended without leaving. Arguments:
    /// `set` or `keep` for limits that are there already, the backlog, a tenant's share of it, the bytes of answers still
    /// to be posted, then names and values of further shares.
    static let prepare = Script(
        """
        local prefix = KEYS[1]
        local version = redis.call('HGET', prefix .. 'meta', 'proto')
        if version and version ~= '1' then
          return redis.error_reply('MISMATCH this queue speaks version ' .. version .. ' of the protocol, not 1')
        end
        if ARGV[1] == 'set' or not version then
          redis.call('HSET', prefix .. 'meta', 'proto', 1, 'backlog', ARGV[2], 'tenantBacklog', ARGV[3],
            'answerBytes', ARGV[4])
          for _, field in ipairs(redis.call('HKEYS', prefix .. 'meta')) do
            if field == 'listed' or field == 'share' or field:sub(1, 6) == 'share:' then redis.call('HDEL', prefix .. 'meta', field) end
          end
          for i = 5, #ARGV, 2 do redis.call('HSET', prefix .. 'meta', ARGV[i], ARGV[i + 1]) end
        end
        for _, priority in ipairs({'hi', 'lo'}) do
          local key = prefix .. 'jobs:' .. priority
          local made = redis.pcall('XGROUP', 'CREATE', key, 'workers', '0', 'MKSTREAM')
          if made.err and not made.err:find('BUSYGROUP') then return made end
          for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', key, 'workers')) do
            local consumer = {}
            for i = 1, #info, 2 do consumer[info[i]] = info[i + 1] end
            if consumer.pending == 0 and consumer.idle > 3600000 then
              redis.call('XGROUP', 'DELCONSUMER', key, 'workers', consumer.name)
            end
          end
        end
        return 'OK'
        """
    )
}
