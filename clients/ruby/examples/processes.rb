# frozen_string_literal: true

# Threads share a client, and processes that fork, too: each has connections of its own.

require "handlersocket2"

db = HandlerSocket2.connect(ARGV[0] || "hs://127.0.0.1:9998?write_port=9999")
user = db.table("test.user", %w[user_id user_name])
user.upsert({ user_id: 101, user_name: "Yukari Takeba" })

names = Array.new(4) { Thread.new { user.get(101)["user_name"] } }.map(&:value)
child = fork { puts user.get(101)["user_name"] }
Process.wait(child)
abort "the process has failed" unless Process.last_status.success?
puts names, user.get(101)["user_name"]
