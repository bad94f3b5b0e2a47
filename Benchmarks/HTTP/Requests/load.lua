-- wrk -s load.lua URL -- DEPTH UPLOAD_BYTES: DEPTH requests in one write, each a POST when UPLOAD_BYTES is above 0.
function init(arguments)
    local depth, upload = tonumber(arguments[1]), tonumber(arguments[2])
    if upload > 0 then
        wrk.method = "POST"
        wrk.body = string.rep("x", upload)
    end
    if depth > 1 then
        local batch = string.rep(wrk.format(), depth)
        -- A global: without it wrk sends its one prepared request and never calls Lua.
        request = function() return batch end
    end
end

function done(summary, latency, _)
    local errors = summary.errors
    io.write(
        string.format(
            'RESULT {"requests":%d,"duration_us":%d,"bytes":%d,"p50_us":%d,"p99_us":%d,"errors":%d}\n',
            summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
            errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
