# frozen_string_literal: true

require_relative "lib/handlersocket2/version"

Gem::Specification.new do |spec|
  spec.name = "handlersocket2"
  spec.version = HandlerSocket2::VERSION
  spec.summary = "Reads and writes rows of MariaDB by their keys, without SQL, through the plugin HandlerSocket 2"
  spec.homepage = "https://handlersocket2.org"
  spec.authors = ["The HandlerSocket 2 contributors"]
  spec.license = "BSD-3-Clause"
  spec.required_ruby_version = ">= 3.0"
  spec.add_dependency "bigdecimal", ">= 3.0", "< 5" # Since Ruby 3.4 Bundler must be told of it.
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "examples/*.rb", "README.md", "LICENSE", ".yardopts"] }
  spec.metadata = { "rubygems_mfa_required" => "true" }
end
