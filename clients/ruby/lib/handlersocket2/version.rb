# frozen_string_literal: true

module HandlerSocket2
  # The version of this package.
  VERSION = "2.0.0"
end
