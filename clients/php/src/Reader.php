<?php

declare(strict_types=1);

namespace HandlerSocket2;

use function count;
use function str_contains;
use function strlen;
use function strncmp;
use function strpos;
use function substr;

/** Turns bytes, in any pieces, into replies. It knows no socket. */
final class Reader
{
    public const MAX_REPLY = 64 << 20;
    private const LONG = 1 << 16; // from here on a list of values is worth a second look
    /** @var list<string> */
    private array $pieces = [];
    private int $size = 0;
    private Reply $one; // of which each reply of one value is made

    /** @param int $maxReply most bytes of a reply with its LF */
    public function __construct(private int $maxReply = self::MAX_REPLY)
    {
        $this->one = new Reply(1, [''], 1);
    }

    /** How many bytes have come that are no whole reply yet. */
    public function rest(): int
    {
        return $this->size;
    }

    /**
     * The replies that these bytes end; ProtocolError when one is none, or is too long.
     * @return list<Reply|ServerError>
     */
    public function feed(string $data): array
    {
        $only = $this->only($data);
        if ($only !== null) {
            return [$only];
        }
        if (!str_contains($data, "\n")) {
            $this->keep($data);
            return [];
        }
        if ($this->pieces) {
            $data = implode('', $this->pieces) . $data;
            $this->pieces = [];
            $this->size = 0;
        }
        $lines = explode("\n", $data);
        $rest = array_pop($lines);
        $marks = str_contains($data, "\0") || str_contains($data, "\1");
        $replies = [];
        foreach ($lines as $line) {
            if (strlen($line) >= $this->maxReply) {
                throw new ProtocolError('the reply is too long');
            }
            $replies[] = self::parse($line, $marks);
        }
        if ($rest !== '') {
            $this->keep($rest);
        }
        return $replies;
    }

    /** The reply, if these bytes are one of one value, as most are; else null, and `feed` takes them. */
    public function only(string $data): ?Reply
    {
        $end = strlen($data) - 1;
        if (
            $this->size !== 0 || $end < 4 || $end >= self::LONG || $end >= $this->maxReply
            || strpos($data, "\n", 4) !== $end || strpos($data, "\t", 4) !== false || strncmp($data, "0\t1\t", 4) !== 0
            || str_contains($data, "\0") || str_contains($data, "\1")
        ) {
            return null;
        }
        $made = clone $this->one; // A constructor takes several times as long.
        $made->values = [substr($data, 4, -1)];
        return $made;
    }

    private function keep(string $data): void
    {
        if ($data === '') {
            return;
        }
        $this->pieces[] = str_repeat($data, 1); // Of its own size: what was read may have room for much more.
        $this->size += strlen($data);
        if ($this->size >= $this->maxReply) {
            throw new ProtocolError('the reply is too long');
        }
    }

    /** The value of a token; ProtocolError when it is none. */
    public static function value(string $token): ?string
    {
        if ($token === "\0") {
            return null;
        }
        if (!str_contains($token, "\1")) {
            return $token;
        }
        return preg_replace_callback('/\x01(.?)/s', static function (array $found): string {
            $byte = $found[1] === '' ? 0 : ord($found[1]);
            if ($byte < 0x40 || $byte > 0x4f) {
                throw new ProtocolError('an escape sequence is none');
            }
            return chr($byte - 0x40);
        }, $token);
    }

    private static function isNumber(string $token): bool
    {
        $length = strlen($token);
        return $length > 0 && $length <= 10 && strspn($token, '0123456789') === $length;
    }

    /**
     * The reply in a line without its LF; ProtocolError when it is none. Without `$marks` the line is known to have
     * neither NULL nor an escape sequence.
     */
    public static function parse(string $line, bool $marks = true): Reply|ServerError
    {
        if (!$marks && str_starts_with($line, "0\t1\t") && strpos($line, "\t", 4) === false) {
            return new Reply(1, [substr($line, 4)], 1); // One value, as most have.
        }
        $long = strlen($line) >= self::LONG;
        $tokens = explode("\t", $line, $long ? 3 : PHP_INT_MAX);
        $isGood = $tokens[0] === '0';
        if (!isset($tokens[1]) || !($isGood || self::isNumber($tokens[0])) || !self::isNumber($tokens[1])) {
            throw new ProtocolError('this is no reply');
        }
        $columns = (int) $tokens[1];
        $values = array_slice($tokens, 2);
        $size = $long ? substr_count($line, "\t") - 1 : count($values);
        if (!$isGood) {
            if ($columns !== 1) {
                throw new ProtocolError('this is no error');
            }
            return ServerError::of((int) $tokens[0], strtr(implode(' ', $values), "\t", ' '));
        }
        if ($columns === 0 ? $size !== 0 : $size % $columns !== 0) {
            throw new ProtocolError('the values are no multiple of the columns');
        }
        return new Reply($columns, $long && $size ? $values[0] : self::values($values, $line), $size);
    }

    /**
     * What the tokens of a line mean.
     * @param list<string> $tokens
     * @return list<?string>
     */
    public static function values(array $tokens, string $line): array
    {
        return strpbrk($line, "\0\1") === false ? $tokens : array_map(self::value(...), $tokens);
    }
}
