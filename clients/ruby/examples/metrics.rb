# frozen_string_literal: true

# Counts requests and their time by a hook, as a client of Prometheus or OpenTelemetry would.

require "handlersocket2"

seconds = Hash.new(0.0)
failures = Hash.new(0)
lock = Mutex.new
hook = lambda do |kind, _table, took, error|
  lock.synchronize do # histogram.observe(took, labels: { kind: kind })
    seconds[kind] += took
    failures[error.class] += 1 if error
  end
end

HandlerSocket2.connect(ARGV[0] || "hs://127.0.0.1:9998?write_port=9999", on_request: hook) do |db|
  db.table("test.user", %w[user_id]).get(101)
end
p seconds.keys.sort, failures
