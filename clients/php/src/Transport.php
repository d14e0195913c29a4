<?php

declare(strict_types=1);

namespace HandlerSocket2;

use function hrtime;
use function is_int;
use function socket_recv;
use function socket_send;
use function strlen;

/** A socket; waits until its deadline at most. */
final class Transport
{
    private const SMALL = 16384;
    private const SHORT = 2048; // as most replies are; PHP makes room for a whole read
    private const PIECE = 262144;
    private const LONGEST_PATH = 107; // PHP would take the beginning of a longer one
    private ?float $deadline = null;
    private int $room = self::SMALL; // of what is read next
    /** A plain socket, for which the kernel keeps the timeout, so that a read is one call of the system. */
    private ?\Socket $plain = null;
    private float $seconds = 0.0; // of the limit
    private float $kept = 0.0; // of the kernel's timeout; 0: none
    private bool $hasWaited = true; // since the limit was set

    /** @param resource $stream */
    private function __construct(private $stream, private bool $tls, public readonly string $place)
    {
    }

    /** Seconds of a clock that is never set. */
    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    /** Connects, with TLS; within the connect timeout. `$path`: a Unix socket in the place of host and port. */
    public static function connect(Options $options, string $host, int $port, ?string $path): self
    {
        if (strlen($path ?? '') > self::LONGEST_PATH || str_contains($path ?? $host, "\0")) {
            throw new ConfigurationError(($path ?? $host) . ' cannot be the place of a server');
        }
        $begun = self::now();
        $seconds = $options->connect_timeout;
        $tls = $path === null && $options->tls !== 'off';
        $target = $path !== null ? "unix://$path" : 'tcp://' . (str_contains($host, ':') ? "[$host]" : $host) . ":$port";
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true], 'ssl' => $tls ? self::tls($options, $host) : []]);
        $wait = $seconds > 0 ? $seconds : 1e6;
        $stream = @stream_socket_client($target, $number, $text, $wait, STREAM_CLIENT_CONNECT, $context);
        if ($stream === false) {
            $late = $seconds > 0 && self::now() - $begun >= $seconds * 0.99;
            $what = "no connection to $target: $text";
            throw $late ? new TimeoutError($what) : new ConnectionError($what);
        }
        stream_set_blocking($stream, false);
        stream_set_chunk_size($stream, self::SMALL);
        $made = new self($stream, $tls, $target);
        $socket = function_exists('socket_import_stream') ? socket_import_stream($stream) : false;
        if ($socket) {
            if ($path === null) {
                socket_set_option($socket, SOL_SOCKET, SO_KEEPALIVE, 1);
            }
            if (!$tls && defined('MSG_DONTWAIT')) {
                $made->plain = $socket;
                $made->room = self::SHORT;
            }
        }
        if ($seconds > 0) {
            $made->deadline = $begun + $seconds;
        }
        if ($tls) {
            $made->handshake();
        }
        stream_set_blocking($stream, true);
        return $made;
    }

    /** @return array<string, mixed> */
    private static function tls(Options $options, string $host): array
    {
        $certificate = static fn (string $pem) => @openssl_x509_read($pem);
        $key = static fn (string $pem) => @openssl_pkey_get_private($pem);
        foreach (['tls_ca' => $certificate, 'tls_cert' => $certificate, 'tls_key' => $key] as $name => $read) {
            $file = $options->$name;
            $pem = $file === null ? null : @file_get_contents($file);
            if ($pem !== null && !$read((string) $pem)) {
                throw new ConfigurationError("$name cannot be used: $file cannot be read, or has none");
            }
        }
        $verify = $options->tls === 'verify';
        return array_filter([
            'verify_peer' => $verify,
            'verify_peer_name' => $verify,
            'allow_self_signed' => !$verify,
            'peer_name' => $options->tls_name ?? $host,
            'cafile' => $options->tls_ca,
            'local_cert' => $options->tls_cert,
            'local_pk' => $options->tls_key,
        ], static fn ($one) => $one !== null);
    }

    private function handshake(): void
    {
        error_clear_last();
        while (($done = @stream_socket_enable_crypto($this->stream, true, STREAM_CRYPTO_METHOD_TLS_CLIENT)) === 0) {
            try {
                $this->wait(false);
            } catch (TimeoutError $error) {
                throw $error->at($this->place);
            }
        }
        if ($done === false) {
            $why = error_get_last()['message'] ?? 'the connection was closed';
            $this->close();
            throw new ConnectionError("no TLS with $this->place: $why");
        }
    }

    /** From a time on: what takes longer is a TimeoutError; 0: nothing is. */
    public function limit(float $now, float $seconds): void
    {
        $this->deadline = $seconds > 0 ? $now + $seconds : null;
        $this->seconds = $seconds;
        $this->hasWaited = false;
    }

    private function wait(bool $write): void
    {
        $this->hasWaited = true;
        $left = $this->deadline === null ? 3600.0 : $this->deadline - self::now();
        if ($left <= 0) {
            throw new TimeoutError('it took too long', true);
        }
        $readable = [$this->stream];
        $writable = $write ? [$this->stream] : null;
        $except = null;
        $whole = (int) $left;
        @stream_select($readable, $writable, $except, $whole, (int) (($left - $whole) * 1e6) + 1);
    }

    /** How many bytes were sent in one piece: mostly all, as a socket takes so much while nobody reads. */
    public function sendAtOnce(string $data): int
    {
        $size = strlen($data);
        if ($size > self::SMALL) {
            return 0;
        }
        return (int) ($this->plain ? @socket_send($this->plain, $data, $size, MSG_DONTWAIT) : @fwrite($this->stream, $data));
    }

    /**
     * Sends all behind the first `$at` bytes, which were sent; what comes meanwhile goes to the sink, so that neither
     * side waits for the other.
     * @param \Closure(string): void $sink
     */
    public function send(string $data, \Closure $sink, int $at = 0): void
    {
        $size = strlen($data);
        stream_set_blocking($this->stream, false);
        while ($at < $size) {
            // The same piece again after a refusal, as TLS wants it.
            $sent = @fwrite($this->stream, substr($data, $at, 65536));
            if (is_int($sent) && $sent > 0) {
                $at += $sent;
                continue;
            }
            try {
                while (($received = $this->poll()) !== '') {
                    $sink($received);
                }
            } catch (ConnectionError $error) {
                $error->sent = $at > 0 || $this->tls; // within TLS there is no telling
                throw $error;
            }
            $this->wait(true);
        }
        stream_set_blocking($this->stream, true);
    }

    /** What has come, after waiting for it. */
    public function receive(): string
    {
        while ($this->plain) {
            if ($this->hasWaited || $this->seconds !== $this->kept) {
                $this->keepTimeout($this->plain);
            }
            $this->hasWaited = true;
            $count = @socket_recv($this->plain, $received, $this->room, 0);
            if ($count > 0 && $count < $this->room) { // as mostly
                return $received;
            }
            if (($received = $this->taken($this->plain, $count, $received)) !== '') {
                return $received;
            }
        }
        do {
            $left = $this->deadline === null ? 3600.0 : $this->deadline - self::now();
            if ($left <= 0) {
                throw new TimeoutError('it took too long', true);
            }
            $whole = (int) $left;
            stream_set_timeout($this->stream, $whole, (int) (($left - $whole) * 1e6) + 1);
            $received = $this->poll();
        } while ($received === '');
        return $received;
    }

    /** Tells the kernel how long a read may wait. */
    private function keepTimeout(\Socket $socket): void
    {
        $left = $this->deadline === null ? 0.0 : $this->deadline - self::now();
        if ($this->deadline !== null && $left <= 0) {
            throw new TimeoutError('it took too long', true);
        }
        $left = $this->hasWaited ? $left : $this->seconds;
        $whole = (int) $left;
        $micros = (int) (($left - $whole) * 1e6);
        $micros = $left > 0 && $whole === 0 ? max($micros, 1000) : $micros; // 0 is none
        socket_set_option($socket, SOL_SOCKET, SO_RCVTIMEO, ['sec' => $whole, 'usec' => $micros]);
        $this->kept = $left;
    }

    /** What a read of the socket has taken, perhaps nothing before the timeout; ConnectionError at the end. */
    private function taken(\Socket $socket, int|false $count, ?string $received): string
    {
        if ($count === false) {
            $why = socket_last_error($socket);
            if ($why !== SOCKET_EAGAIN && $why !== SOCKET_EINTR) {
                throw new ConnectionError('the connection broke: ' . socket_strerror($why), true);
            }
            return '';
        }
        if ($count === 0) {
            throw new ConnectionError('the server has closed the connection', true);
        }
        if ($count === $this->room) { // there is more
            $this->room = self::PIECE;
        }
        return $received;
    }

    /** What has come, perhaps nothing yet; ConnectionError at the end. */
    private function poll(): string
    {
        if ($this->plain) {
            $count = @socket_recv($this->plain, $received, $this->room, MSG_DONTWAIT);
            return $this->taken($this->plain, $count, $received);
        }
        $received = @fread($this->stream, $this->room);
        if (($received === '' || $received === false) && feof($this->stream)) {
            throw new ConnectionError('the server has closed the connection', true);
        }
        if (strlen((string) $received) === $this->room) { // there is more
            $this->room = self::PIECE;
            stream_set_chunk_size($this->stream, self::PIECE);
        }
        return (string) $received;
    }

    /** Whether a connection that is not used is still there: nothing may have come on it. */
    public function alive(): bool
    {
        $readable = [$this->stream];
        $none = null;
        return @stream_select($readable, $none, $none, 0) === 0;
    }

    /** Closes. */
    public function close(): void
    {
        if (is_resource($this->stream)) {
            fclose($this->stream);
        }
    }
}
