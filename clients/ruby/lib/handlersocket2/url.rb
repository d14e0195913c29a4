# frozen_string_literal: true

module HandlerSocket2
  # What a URL names.
  # @api private
  module Url
    FORM = %r{\A(?<scheme>hs|hs\+unix)://(?:(?<user>[^:@/?#]*)(?<colon>:(?<password>[^@/?#]*))?(?<at>@))?
              (?<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@/?\#]*)(?:(?<dot>:)(?<port>[^/?#]*))?(?<path>/[^?#]*)?
              (?:\?(?<query>[^#]*))?\z}x
    private_constant :FORM

    # @param url [String]
    # @return [Hash{Symbol => String}] the options, each as its text
    # @raise [ConfigurationError] when it is no URL of a server
    def self.options(url)
      raise ConfigurationError, "the URL is a String, not #{url.inspect}" unless url.is_a?(String)

      found = FORM.match(url) unless url.match?(/\s/)
      unless found
        raise ConfigurationError, "the URL is not of the form hs://user:password@host:port/database?option=value"
      end

      texts = {}
      [*account(found), *place(found), *query(found[:query])].each do |name, text|
        next if text.nil?
        raise ConfigurationError, "#{name} is given twice" if texts.key?(name.to_sym)

        texts[name.to_sym] = unescape(text)
      end
      texts
    end

    class << self
      private

      def account(found)
        [["user", found[:user]], ["password", found[:password]]]
      end

      def place(found)
        host = Options.unbracketed(found[:host])
        path = found[:path].to_s
        if found[:scheme] == "hs"
          return [["host", (host unless host.empty?)], ["port", found[:port]],
                  ["database", (path[1..] if path.size > 1)]]
        end
        return [["socket", path]] if host.empty? && !found[:dot] && path.size > 1

        raise ConfigurationError, "hs+unix:// needs the path of a socket, and no host"
      end

      def query(text)
        text.to_s.split("&", -1).map do |pair|
          name, value = pair.split("=", 2)
          raise ConfigurationError, "the option '#{name}' has no value" if value.nil?

          [name, value]
        end
      end

      def unescape(text)
        raise ConfigurationError, "'#{text}' is not percent-encoded" if text.match?(/%(?![0-9a-fA-F]{2})/)

        found = text.b.gsub(/%(..)/) { ::Regexp.last_match(1).hex.chr }.force_encoding(Encoding::UTF_8)
        found.valid_encoding? ? found : raise(ConfigurationError, "'#{text}' is no UTF-8")
      end
    end
  end
end
