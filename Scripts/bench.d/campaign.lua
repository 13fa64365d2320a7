-- A wrk script for a campaign: one thread sends a number of notifications that differ in everything but their picture.
-- It prints ENOUGH at the end, and the caller must then stop wrk. Arguments: the picture's URL, the number of
-- notifications, and the number of the first one.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

function init(arguments)
    picture, total, first = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
    sent, answered, complete = 0, 0, 0
end

function request()
    sent = sent + 1
    local id = first + sent
    local body = string.format(
        '{"aps":{"alert":{"title":"Autumn sale","body":"Hello number %d, have a look!"},"badge":%d,"mutable-content":1,'
            .. '"sound":"default","thread-id":"sale"},"my-attachment":"%s","user":{"id":%d,"segment":"s%d"}}',
        id, id % 10, picture, 9007199254740993 + id, id % 97)
    return wrk.format("POST", "/v1/rewrite", nil, body)
end

function response(status, headers)
    answered = answered + 1
    if status == 200 and headers["Attachd-Outcome"] == "complete" then complete = complete + 1 end
    if answered == total then
        io.write("ENOUGH\n")
        io.flush()
        wrk.thread:stop()
    end
end

function done(summary, latency)
    local all, good = 0, 0
    for _, thread in ipairs(threads) do
        all, good = all + thread:get("answered"), good + thread:get("complete")
    end
    io.write(string.format('RESULT {"answered":%d,"complete":%d,"seconds":%f,"p50":%f,"p99":%f}\n',
        all, good, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
