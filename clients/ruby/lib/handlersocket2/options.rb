# frozen_string_literal: true

require "ipaddr"
require "socket"

require_relative "url"

module HandlerSocket2
  # Where the server is and how it is asked. Times are seconds.
  # @api private
  class Options
    # All options, with what they are where they are not given.
    DEFAULTS = {
      host: "127.0.0.1", port: 9998, write_port: 9999, socket: nil, write_socket: nil, database: nil,
      user: nil, password: nil, secret: nil, write_secret: nil,
      tls: "off", tls_ca: nil, tls_cert: nil, tls_key: nil, tls_name: nil,
      connect_timeout: 5.0, timeout: 30.0, pool_size: 16, max_idle: 60.0, name: "handlersocket2-ruby/#{VERSION}",
      replicas: [].freeze, read_your_writes: false, gtid_timeout: 1.0, retries: 2
    }.freeze
    INTEGERS = {
      port: 1..65_535, write_port: 1..65_535, pool_size: 1..65_535, retries: 0..1000
    }.freeze
    CHOICES = {
      tls: { "off" => "off", "require" => "require", "verify" => "verify" },
      read_your_writes: { "on" => true, "off" => false }
    }.freeze
    SECONDS = { # at most; the server has a bound for the last one
      connect_timeout: 1_000_000, timeout: 1_000_000, max_idle: 1_000_000, gtid_timeout: 600
    }.freeze
    TEXT = [/\A[^\0]+\z/, "text of one character or more, without NUL"].freeze
    SECRET = [/\A[^\0]*\z/, "text without NUL"].freeze
    TEXTS = { # the others are TEXT
      password: SECRET, secret: SECRET, write_secret: SECRET,
      name: [/\A[^\x00-\x1f\x7f]+\z/, "text of one character or more, without control characters"]
    }.freeze
    PLACE = %r{\A(\[[0-9a-fA-F:.]+\]|[^:\[\]\s/\0]+):([0-9]{1,5})\z}
    # A URL says where the server is; then the file does not.
    THE_PLACE = %i[host port write_port socket write_socket].freeze
    private_constant :INTEGERS, :CHOICES, :SECONDS, :TEXT, :SECRET, :TEXTS, :PLACE, :THE_PLACE

    DEFAULTS.each_key { |name| define_method(name) { @values[name] } }

    # The options of a URL and of arguments, and where neither names one of the environment and the
    # option file.
    # @param url [String, nil]
    # @param given [Hash{Symbol => Object}]
    # @return [Options]
    # @raise [ConfigurationError]
    def self.make(url, given)
      url ||= presence(ENV.fetch("HS_URL", nil)) if given.empty?
      values = url ? typed(Url.options(url)) : {}
      twice = values.keys & given.keys
      raise ConfigurationError, "#{twice.first} is given twice" unless twice.empty?

      values.update(typed(given.to_h { |name, value| [name, text(name, value)] }))
      { password: "HS_PASSWORD", secret: "HS_SECRET" }.each do |name, variable|
        values[name] = ENV[variable] if !values.key?(name) && ENV[variable]
      end
      file = url ? option_file.except(*THE_PLACE) : option_file
      new(file.merge(values))
    end

    # @param values [Hash{Symbol => Object}] those that are not as by default
    def initialize(values = {})
      @values = DEFAULTS.merge(values).freeze
      raise ConfigurationError, "tls_cert and tls_key belong together" if tls_cert.nil? != tls_key.nil?
    end

    # @return [Hash{Symbol => Object}]
    def to_h
      @values
    end

    # @return [String] without the values, among which are secrets
    def inspect
      "#<#{self.class} #{socket || "#{host}:#{port}"}>"
    end

    # @return [Boolean] whether TLS is wanted
    def tls?
      tls != "off"
    end

    class << self
      # The host and the port of `host:port`.
      # @return [Array(String, Integer)]
      def place(text)
        found = PLACE.match(text)
        unless found && INTEGERS[:port].cover?(found[2].to_i)
          raise ConfigurationError, "replicas is host:port,host:port, not #{text.inspect}"
        end

        [unbracketed(found[1], "replicas"), found[2].to_i]
      end

      # A host without the brackets of an IPv6 address.
      # @return [String]
      def unbracketed(host, option = "host")
        return host unless host.start_with?("[")

        host[1..-2].tap { |address| IPAddr.new(address, Socket::AF_INET6) }
      rescue IPAddr::Error
        raise ConfigurationError, "#{option}: #{host} is no IPv6 address, as in host:port"
      end

      # @param texts [Hash{Symbol => String}]
      # @return [Hash{Symbol => Object}] with their types
      def typed(texts)
        texts.to_h { |name, text| [name, value(name, text)] }
      end

      private

      def presence(text)
        text unless text.to_s.empty?
      end

      def value(name, text)
        raise ConfigurationError, "there is no option '#{name}'" unless DEFAULTS.key?(name)
        return integer(name, text) if INTEGERS.key?(name)
        return choice(name, text) if CHOICES.key?(name)
        return seconds(name, text) if SECONDS.key?(name)

        name == :replicas ? places(text) : characters(name, text)
      end

      # The error does not tell the text, which may be secret.
      def characters(name, text)
        form, what = TEXTS.fetch(name, TEXT)
        text.match?(form) ? text : raise(ConfigurationError, "#{name} is #{what}")
      end

      def places(text)
        found = text.split(",", -1)
        return found.each { |one| place(one) }.freeze if found.size.between?(1, 32)

        raise ConfigurationError, "replicas is host:port,host:port, 32 at most, not #{text.inspect}"
      end

      def integer(name, text)
        return text.to_i if text.match?(/\A[0-9]{1,10}\z/) && INTEGERS[name].cover?(text.to_i)

        least, most = INTEGERS[name].minmax
        raise ConfigurationError, "#{name} is a whole number from #{least} to #{most}, not #{text.inspect}"
      end

      def choice(name, text)
        CHOICES[name].fetch(text) do
          *allowed, last = CHOICES[name].keys
          raise ConfigurationError, "#{name} is #{allowed.join(", ")} or #{last}, not #{text.inspect}"
        end
      end

      def seconds(name, text)
        most = SECONDS[name]
        return text.to_f if text.match?(/\A[0-9]{1,10}(\.[0-9]+)?\z/) && text.to_f <= most

        raise ConfigurationError, "#{name} is seconds from 0 to #{most}, not #{text.inspect}"
      end

      # An argument as it would stand in a URL.
      def text(name, value)
        case value
        when true then "on"
        when false then "off"
        when Array then value.join(",")
        when Float then value.finite? ? BigDecimal(value.to_s).to_s("F") : value.to_s
        when String, Symbol, Numeric then value.to_s
        else raise ConfigurationError, "#{name} has no such value"
        end
      end

      def option_file
        named = presence(ENV.fetch("HS_OPTION_FILE", nil))
        file = named || File.join(ENV.fetch("HOME", ""), ".hs.cnf")
        return {} unless named || File.exist?(file)

        typed(parse(File.readlines(file, chomp: true, encoding: "UTF-8"), file))
      rescue SystemCallError => e
        raise ConfigurationError, "the option file #{file} cannot be read: #{e.message}"
      end

      def group_of(line, file)
        line[/\A\[([^\]]*)\]/, 1]&.rstrip&.downcase or raise ConfigurationError, "a group of #{file} has no ]"
      end

      def parse(lines, file)
        raise ConfigurationError, "the option file #{file} is no UTF-8" unless lines.all?(&:valid_encoding?)
        raise ConfigurationError, "the option file #{file} has a NUL byte" if lines.any? { |line| line.include?("\0") }

        own(lines.map(&:strip), file).each_with_object({}) do |line, texts|
          name, text = line.split("=", 2).map(&:strip)
          raise ConfigurationError, "the option #{name} of #{file} has no value" unless text
          raise ConfigurationError, "#{name} stands twice in #{file}" if texts.key?(name.to_sym)

          texts[name.to_sym] = text
        end
      end

      # The lines of the group `[hs]`.
      def own(lines, file)
        group = nil
        lines.select do |line|
          next if line.empty? || line.start_with?("#", ";")
          raise ConfigurationError, "#{line} of #{file}: no other file is included" if line.start_with?("!")

          if line.start_with?("[")
            group = group_of(line, file)
            next
          end
          raise ConfigurationError, "a line of #{file} stands before the first group" unless group

          group == "hs"
        end
      end
    end
  end
end
