<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** Where the server is and how it is asked: URL, environment, option file. Times are seconds. */
final class Options
{
    public string $host = '127.0.0.1';
    public int $port = 9998;
    public int $write_port = 9999;
    public ?string $socket = null;
    public ?string $write_socket = null;
    public ?string $database = null;
    public ?string $user = null;
    public ?string $password = null;
    public ?string $secret = null;
    public ?string $write_secret = null;
    public string $tls = 'off';
    public ?string $tls_ca = null;
    public ?string $tls_cert = null;
    public ?string $tls_key = null;
    public ?string $tls_name = null;
    public float $connect_timeout = 5;
    public float $timeout = 30;
    public int $pool_size = 16;
    /** After which a connection that is not used is closed; 0: never. */
    public float $max_idle = 60;
    public string $name = 'handlersocket2-php/2.0';
    /** @var list<string> */
    public array $replicas = [];
    public bool $read_your_writes = false;
    public float $gtid_timeout = 1;
    public int $retries = 2;

    // A URL says where the server is; then the file does not.
    private const THE_PLACE = ['host' => 1, 'port' => 1, 'write_port' => 1, 'socket' => 1, 'write_socket' => 1];

    private const URL = '~^(?<scheme>hs|hs\+unix)://(?:(?<user>[^:@/?#]*)(?<colon>:(?<password>[^@/?#]*))?(?<at>@))?'
        . '(?<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@/?#\s]*)(?:(?<dot>:)(?<port>[^/?#]*))?(?<path>/[^?#]*)?'
        . '(?:\?(?<query>[^#]*))?$~D';

    /** @param array<string, mixed> $values typed values */
    public function __construct(array $values = [])
    {
        foreach ($values as $name => $value) {
            $this->$name = $value;
        }
    }

    /**
     * The options of a URL and of arguments, and where neither names one of the environment and the option file.
     * @param array<string, mixed> $given
     */
    public static function make(?string $url, array $given): self
    {
        if ($url === null && !$given) {
            $url = getenv('HS_URL') ?: null;
        }
        $values = $url === null ? [] : self::parseUrl($url);
        $texts = [];
        foreach ($given as $name => $value) {
            if (array_key_exists($name, $values)) {
                throw new ConfigurationError("$name is given twice");
            }
            $texts[$name] = match (true) {
                is_bool($value) => $value ? 'on' : 'off',
                is_array($value) && array_filter($value, is_scalar(...)) === $value => implode(',', $value),
                is_float($value) && $value > 0 && $value < 1 => sprintf('%.20F', $value), // without an exponent
                is_scalar($value) => (string) $value,
                default => throw new ConfigurationError("$name has no such value"),
            };
        }
        $values += self::typed($texts);
        foreach (['password' => 'HS_PASSWORD', 'secret' => 'HS_SECRET'] as $name => $variable) {
            if (!isset($values[$name]) && getenv($variable) !== false) {
                $values[$name] = getenv($variable);
            }
        }
        $file = self::optionFile();
        if ($url !== null) {
            $file = array_diff_key($file, self::THE_PLACE);
        }
        $all = new self($values + $file);
        if (isset($all->tls_cert) !== isset($all->tls_key)) {
            throw new ConfigurationError('tls_cert and tls_key belong together');
        }
        return $all;
    }

    /**
     * The options that a URL names; ConfigurationError when it is none.
     * @return array<string, mixed>
     */
    public static function parseUrl(string $url): array
    {
        if (preg_match('/\s/', $url) || !preg_match(self::URL, $url, $found, PREG_UNMATCHED_AS_NULL)) {
            throw new ConfigurationError(
                'the URL is not of the form hs://user:password@host:port/database?option=value'
            );
        }
        $path = $found['path'] ?? '';
        $pairs = [['user', $found['user'] ?? null], ['password', $found['password'] ?? null]];
        if ($found['scheme'] === 'hs') {
            $host = self::unbracketed('host', $found['host'] ?? '');
            $pairs[] = ['host', $host === '' ? null : $host];
            $pairs[] = ['port', $found['port'] ?? null];
            $pairs[] = ['database', strlen($path) > 1 ? substr($path, 1) : null];
        } elseif (($found['host'] ?? '') !== '' || isset($found['dot']) || strlen($path) < 2) {
            throw new ConfigurationError('hs+unix:// needs the path of a socket, and no host');
        } else {
            $pairs[] = ['socket', $path];
        }
        $query = $found['query'] ?? '';
        foreach ($query === '' ? [] : explode('&', $query) as $pair) {
            $parts = explode('=', $pair, 2);
            if (count($parts) < 2) {
                throw new ConfigurationError("the option '$pair' has no value");
            }
            $pairs[] = $parts;
        }
        $texts = [];
        foreach ($pairs as [$name, $text]) {
            if ($text === null) {
                continue;
            }
            if (isset($texts[$name])) {
                throw new ConfigurationError("$name is given twice");
            }
            $texts[$name] = self::unescape($text);
        }
        return self::typed($texts);
    }

    private static function unescape(string $text): string
    {
        if (preg_match('/%(?![0-9a-fA-F]{2})/', $text)) {
            throw new ConfigurationError("'$text' is not percent-encoded");
        }
        $found = rawurldecode($text);
        if (preg_match('//u', $found) !== 1) {
            throw new ConfigurationError("'$text' is no UTF-8");
        }
        return $found;
    }

    /**
     * @param array<string, string> $texts
     * @return array<string, mixed>
     */
    private static function typed(array $texts): array
    {
        $values = [];
        foreach ($texts as $name => $text) {
            $values[$name] = match ($name) {
                'port', 'write_port' => self::integer($name, $text, 1, 65535),
                'pool_size' => self::integer($name, $text, 1, 65535),
                'retries' => self::integer($name, $text, 0, 1000),
                'connect_timeout', 'timeout', 'max_idle' => self::seconds($name, $text, 1_000_000),
                'gtid_timeout' => self::seconds($name, $text, 600), // as the server has it
                'tls' => self::oneOf($name, $text, ['off' => 'off', 'require' => 'require', 'verify' => 'verify']),
                'read_your_writes' => self::oneOf($name, $text, ['on' => true, 'off' => false]),
                'replicas' => self::places($text),
                'password', 'secret', 'write_secret' => self::text($name, $text, '[^\0]*', 'text without NUL'),
                'name' => self::text(
                    $name,
                    $text,
                    '[^\x00-\x1f\x7f]+',
                    'text of one character or more, without control characters'
                ),
                default => property_exists(self::class, (string) $name)
                    ? self::text((string) $name, $text, '[^\0]+', 'text of one character or more, without NUL')
                    : throw new ConfigurationError("there is no option '$name'"),
            };
        }
        return $values;
    }

    /** The error does not tell the text, which may be secret. */
    private static function text(string $name, string $text, string $form, string $what): string
    {
        return preg_match("/^$form$/D", $text) ? $text : throw new ConfigurationError("$name is $what");
    }

    private static function integer(string $name, string $text, int $least, int $most): int
    {
        if (!preg_match('/^[0-9]{1,10}$/D', $text) || (int) $text < $least || (int) $text > $most) {
            throw new ConfigurationError("$name is a whole number from $least to $most, not '$text'");
        }
        return (int) $text;
    }

    private static function seconds(string $name, string $text, int $most): float
    {
        if (!preg_match('/^[0-9]{1,10}(\.[0-9]+)?$/D', $text) || (float) $text > $most) {
            throw new ConfigurationError("$name is seconds from 0 to $most, not '$text'");
        }
        return (float) $text;
    }

    /** @param array<string, mixed> $meanings */
    private static function oneOf(string $name, string $text, array $meanings): mixed
    {
        $allowed = implode(' or ', [implode(', ', array_slice(array_keys($meanings), 0, -1)), array_key_last($meanings)]);
        return $meanings[$text] ?? throw new ConfigurationError("$name is $allowed, not '$text'");
    }

    /**
     * Host and port of `host:port`.
     * @return array{string, int}
     */
    public static function place(string $text): array
    {
        $form = '/^(\[[0-9a-fA-F:.]+\]|[^:\[\]\s\/\0]+):([0-9]{1,5})$/D';
        if (!preg_match($form, $text, $found) || (int) $found[2] < 1 || (int) $found[2] > 65535) {
            throw new ConfigurationError("replicas is host:port,host:port, 32 at most, not '$text'");
        }
        return [self::unbracketed('replicas', $found[1]), (int) $found[2]];
    }

    /** A host without the brackets of an IPv6 address. */
    private static function unbracketed(string $option, string $host): string
    {
        if (!str_starts_with($host, '[')) {
            return $host;
        }
        return filter_var(substr($host, 1, -1), FILTER_VALIDATE_IP, FILTER_FLAG_IPV6)
            ?: throw new ConfigurationError("$option is host:port, and $host is no IPv6 address");
    }

    /** @return list<string> */
    private static function places(string $text): array
    {
        $found = explode(',', $text);
        if (count($found) > 32) {
            throw new ConfigurationError("replicas is host:port,host:port, 32 at most, not '$text'");
        }
        array_map(self::place(...), $found);
        return $found;
    }

    /** @return array<string, mixed> */
    private static function optionFile(): array
    {
        $named = (string) getenv('HS_OPTION_FILE');
        $file = $named !== '' ? $named : getenv('HOME') . '/.hs.cnf';
        if ($named === '' && !file_exists($file)) {
            return [];
        }
        $content = is_dir($file) ? false : @file_get_contents($file);
        if ($content === false) {
            throw new ConfigurationError("the option file $file cannot be read");
        }
        if (str_contains($content, "\0") || preg_match('//u', $content) !== 1) {
            throw new ConfigurationError("the option file $file has a NUL byte, or is no UTF-8");
        }
        $texts = [];
        $group = null;
        $trimmed = static fn (string $text): string => trim($text, " \t\r\v\f");
        foreach (array_map($trimmed, explode("\n", $content)) as $line) {
            if ($line === '' || $line[0] === '#' || $line[0] === ';') {
                continue;
            }
            if ($line[0] === '!') {
                throw new ConfigurationError("'$line' of $file: no other file is included");
            } elseif ($line[0] === '[') {
                $end = strpos($line, ']') ?: throw new ConfigurationError("a group of $file has no ]");
                $group = strtolower(rtrim(substr($line, 1, $end - 1), " \t\r\v\f"));
            } elseif ($group === null) {
                throw new ConfigurationError("a line of the option file $file stands before the first group");
            } elseif ($group === 'hs') {
                $parts = array_map($trimmed, explode('=', $line, 2));
                if (count($parts) < 2) {
                    throw new ConfigurationError("the option '$line' of $file has no value");
                }
                [$name, $text] = $parts;
                if (isset($texts[$name])) {
                    throw new ConfigurationError("$name stands twice in $file");
                }
                $texts[$name] = $text;
            }
        }
        return self::typed($texts);
    }
}
