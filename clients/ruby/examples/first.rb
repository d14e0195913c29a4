# frozen_string_literal: true

require "handlersocket2"

db = HandlerSocket2.connect(ARGV[0] || "hs://127.0.0.1:9998?write_port=9999")
user = db.table("test.user", %w[user_id user_name])
user.upsert({ user_id: 101, user_name: "Yukari Takeba" })
p user.get(101)
