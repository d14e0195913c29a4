# frozen_string_literal: true

# A pipeline, a transaction and a range.

require "handlersocket2"

HandlerSocket2.connect(ARGV[0] || "hs://127.0.0.1:9998?write_port=9999") do |db|
  user = db.table("test.user", %w[user_id user_name])

  db.transaction do |tx|
    inside = tx.table(user)
    inside.upsert({ user_id: 102, user_name: "first" })
    inside.update(102, { user_name: "second" })
  end

  results = db.pipeline do |pipe|
    pipe.table(user).get(102)
    pipe.table(user).exists?(103)
  end
  results.each { |result| puts result.is_a?(HandlerSocket2::Error) ? result.message : result.inspect }

  names = user.range(start: 100, stop: 200).lazy.map { |row| row["user_name"] }
  p names.grep(/e/).first(3)
end
