<?php

declare(strict_types=1);

namespace HandlerSocket2;

use function count;
use function hrtime;
use function is_int;
use function is_string;
use function strlen;

/** A connection that is open and logged in: its features, its open indexes, its pipeline. */
final class Connection
{
    private const MOST_INDEXES = 256;
    private const TRUSTED = 0.1; // seconds in which an idle connection hardly ever ends
    private Reader $reader;
    /** @var list<Reply|ServerError> */
    private array $answers = [];
    /** @var array<string, int> the id of each index, the one that was used longest ago first */
    private array $indexes = [];
    /** @var list<int> ids whose index was refused */
    private array $free = [];
    private ?string $last = null; // the line of the index that was used last
    /** @var list<string> */
    public array $features = [];
    public bool $broken = false;
    public bool $changed = false; // something, of which nobody has asked the GTID
    private float $used; // when the last exchange began, or is to begin

    private function __construct(private Transport $transport, private Options $options, private bool $secure)
    {
        $this->reader = new Reader();
        $this->used = Transport::now();
    }

    /** Connects and logs in, within the connect timeout. */
    public static function open(Options $options, string $host, int $port, ?string $path, ?string $secret): self
    {
        try {
            $transport = Transport::connect($options, $host, $port, $path);
        } catch (ConnectionError $error) {
            $error->sent = false;
            throw $error;
        }
        $made = new self($transport, $options, $path !== null || $options->tls === 'verify');
        try {
            $made->logIn($secret);
        } catch (ConnectionError $error) {
            $made->close();
            $why = end($made->answers); // why the server has closed it
            throw $why instanceof ServerError ? $why : $error->at($transport->place);
        } catch (\Throwable $error) {
            $made->close();
            throw $error;
        }
        $made->used = Transport::now();
        return $made;
    }

    private function logIn(?string $secret): void
    {
        $hello = Protocol::hello(2, $this->options->name);
        $reply = $this->options->user !== null ? $this->account($hello) : null;
        if ($reply === null && $secret !== null) {
            [$told, $reply] = $this->exchange(Protocol::secret($secret) . $hello, 2);
            $reply = $told instanceof ServerError ? $told : $reply;
        }
        $reply ??= $this->exchange($hello, 1)[0];
        if ($reply instanceof ServerError) {
            if ($reply->text !== 'cmd') {
                throw $reply;
            }
        } elseif ($reply->columns === 6 && $reply->size === 6) {
            $this->features = explode(',', $reply->values[4] ?? '');
        } else {
            throw new AuthenticationError(3, 'unauth');
        }
    }

    /** The reply to hello. Null: the port asks for no account. It never gets the password. */
    private function account(string $hello): Reply|ServerError|null
    {
        $user = (string) $this->options->user;
        $password = (string) $this->options->password;
        $told = null;
        [$reply] = $this->exchange(Protocol::login($user, ['mysql_native_password', 'unix_socket']), 1);
        if ($reply instanceof ServerError && $reply->text === 'authtype') {
            return null;
        }
        if ($reply instanceof Reply && $reply->columns === 2) {
            $challenge = $reply->size === 2 ? @hex2bin($reply->values[1] ?? '') : false;
            if ($challenge === false) {
                throw new ProtocolError('the challenge is none');
            }
            $response = Protocol::nativePassword($password, $challenge);
            [$reply, $told] = $this->exchange(Protocol::answer($response) . $hello, 2);
        }
        if ($reply instanceof ServerError && $this->secure) {
            // An account of another kind; nobody but the server sees the password.
            [$reply, $told] = $this->exchange(Protocol::password($user, $password) . $hello, 2);
        }
        if ($reply instanceof ServerError) {
            throw $reply;
        }
        return $told ?? $this->exchange($hello, 1)[0];
    }

    private function take(string $data): void
    {
        $came = $this->reader->feed($data);
        $this->answers = $this->answers ? [...$this->answers, ...$came] : $came;
    }

    /**
     * Sends lines and returns their answers; ConnectionError when the connection broke.
     * @return list<Reply|ServerError>
     */
    private function exchange(string $data, int $number): array
    {
        $this->answers = [];
        $this->broken = true; // until all has come
        $sent = $this->transport->sendAtOnce($data);
        if ($sent < strlen($data)) {
            $this->transport->send($data, $this->take(...), $sent);
        }
        return $this->rest($number);
    }

    /**
     * The answers of an exchange when all have come.
     * @return list<Reply|ServerError>
     */
    private function rest(int $number): array
    {
        while (count($this->answers) < $number) {
            $this->take($this->transport->receive());
        }
        if (count($this->answers) > $number || $this->reader->rest() > 0) {
            throw new ProtocolError('more replies than requests');
        }
        $last = end($this->answers);
        $this->broken = $last instanceof ServerError && $last->endsConnection();
        return $this->answers;
    }

    /** The id of the index, which is the one that was used last from now on. */
    private function index(string $line): int
    {
        $id = $this->indexes[$line] ?? null;
        if ($line === $this->last && $id !== null) {
            return $id;
        }
        $this->last = $line;
        if ($id !== null) {
            unset($this->indexes[$line]);
        } else {
            $id = $this->free ? array_pop($this->free) : count($this->indexes);
        }
        $this->indexes[$line] = $id;
        return $id;
    }

    private static function line(Call $call, int $id): string
    {
        return is_string($call->encode) ? $id . $call->encode : ($call->encode)($id);
    }

    /**
     * The result of one call, which may be an error, on a connection that was just taken. As `execute`, with less on the
     * way for the index used last and a reply of one value.
     */
    public function ask(Call $call, float $seconds): mixed
    {
        $id = $this->indexes[$this->last ?? ''] ?? null;
        if ($id === null || $call->index !== $this->last || $call->feature !== null || $this->broken) {
            return $this->execute([$call], $seconds)[0];
        }
        try {
            $line = is_string($call->encode) ? $id . $call->encode : ($call->encode)($id);
            $this->broken = true; // until all has come
            $this->transport->limit($this->used, $seconds);
            $sent = $this->transport->sendAtOnce($line);
            if ($sent === strlen($line)) {
                $came = $this->transport->receive();
                $reply = $this->reader->only($came);
                if ($reply !== null) {
                    $result = ($call->decode)($reply);
                    $this->broken = false;
                    return $result;
                }
                $this->take($came);
            } else {
                $this->transport->send($line, $this->take(...), $sent);
            }
            $answer = $this->rest(1)[0];
            $this->answers = [];
        } catch (ConnectionError | ValueError $error) {
            $this->answers = [];
            return $error;
        }
        return $this->meaning($answer, $call->decode);
    }

    /**
     * The results of the calls in their order, errors in their places. When the connection breaks, the calls without
     * a reply have that error, and it takes no more.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    public function execute(array $calls, float $seconds): array
    {
        if ($this->broken) { // a late reply would be taken for that of another call
            throw new ConnectionError('the connection broke before');
        }
        $begun = Transport::now();
        $results = $this->piece($calls, $seconds);
        while (count($results) < count($calls)) { // there was no room for all of their indexes
            $rest = array_slice($calls, count($results));
            if ($this->broken) {
                return [...$results, ...array_fill(0, count($rest), self::notSent(end($results)))];
            }
            $left = $seconds > 0 ? max($begun + $seconds - Transport::now(), 0.001) : 0.0;
            $results = [...$results, ...$this->piece($rest, $left) ?: $this->replace($rest[0]->index, $left)];
        }
        return $results;
    }

    /** The error of calls that were not sent any more behind that result. */
    private static function notSent(mixed $last): ConnectionError
    {
        return $last instanceof TimeoutError
            ? new TimeoutError($last->getMessage())
            : new ConnectionError('the connection broke before the call was sent');
    }

    /**
     * Opens an index under the id that was used longest ago. When it is refused the old one is still open there, so
     * nothing may be sent behind it before the reply. Its error, if any.
     * @return list<Error>
     */
    private function replace(string $line, float $seconds): array
    {
        $oldest = array_key_first($this->indexes);
        $id = $this->indexes[$oldest];
        $this->transport->limit(Transport::now(), $seconds);
        try {
            [$answer] = $this->exchange("P\t$id" . substr($line, 3), 1);
        } catch (ConnectionError $error) {
            return [$error instanceof ProtocolError ? $error : self::notSent($error)];
        } finally {
            $this->answers = [];
        }
        $error = $this->meaning($answer, static fn (Reply $reply) => $reply->nothing());
        if ($error instanceof Error) {
            return [$error];
        }
        unset($this->indexes[$oldest]);
        $this->indexes[$line] = $id;
        return [];
    }

    /**
     * The results of the first calls, as many as there is room for their indexes.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    private function piece(array $calls, float $seconds): array
    {
        $lines = [];
        $plan = [];
        $opened = [];
        $last = null; // the index of the call before, as most calls of a pipeline have the same; $id is open for it
        $id = 0;
        foreach ($calls as $call) {
            if ($call->feature !== null && !in_array($call->feature, $this->features, true)) {
                $plan[] = new UnsupportedError("the server has no $call->feature");
                continue;
            }
            if ($call->index !== null && $call->index === $last && is_string($call->encode)) {
                $plan[] = count($lines);
                $lines[] = $id . $call->encode;
                continue;
            }
            $last = null;
            $id = 0;
            try {
                if (isset($this->indexes[$call->index ?? ''])) {
                    $id = $this->index($call->index);
                } elseif ($call->index !== null) {
                    if (count($this->indexes) >= self::MOST_INDEXES) {
                        break;
                    }
                    self::line($call, 0); // what cannot be sent opens no index
                    $id = $this->index($call->index);
                    $opened[count($lines)] = $call->index;
                    $lines[] = "P\t$id" . substr($call->index, 3);
                }
                $line = self::line($call, $id);
                $plan[] = count($lines);
                $lines[] = $line;
                $last = $call->index;
            } catch (ValueError $error) {
                $plan[] = $error;
            }
        }
        $lost = null;
        $answers = [];
        if ($lines) {
            $this->used = Transport::now();
            $this->transport->limit($this->used, $seconds);
            try {
                $this->exchange(implode('', $lines), count($lines));
            } catch (ConnectionError $error) {
                $lost = $error;
            }
            $answers = $lost?->sent === false ? [] : $this->answers; // what came unasked is no answer
            $this->answers = [];
        }
        $refused = [];
        foreach ($opened as $at => $line) {
            $error = $this->meaning($answers[$at] ?? null, static fn (Reply $reply) => $reply->nothing());
            if ($error instanceof Error) {
                $refused[$line] = $error;
                $this->free[] = $this->indexes[$line];
                unset($this->indexes[$line]);
            }
        }
        $results = [];
        foreach ($plan as $at => $place) {
            if (!is_int($place)) {
                $results[] = $place;
            } elseif ($refused) {
                $results[] = $this->result($calls[$at], $answers[$place] ?? $lost, $refused);
            } else {
                $results[] = $this->meaning($answers[$place] ?? $lost, $calls[$at]->decode);
            }
        }
        return $results;
    }

    /** @param array<string, Error> $refused */
    private function result(Call $call, Reply|Error|null $answer, array $refused): mixed
    {
        if ($answer instanceof ConnectionError) {
            return $answer;
        }
        return $this->meaning($refused[$call->index ?? ''] ?? $answer, $call->decode);
    }

    /** What an answer means. A server whose reply is none to what was asked is not believed further. */
    private function meaning(Reply|Error|null $answer, \Closure $decode): mixed
    {
        if (!$answer instanceof Reply) {
            return $answer;
        }
        try {
            return $decode($answer);
        } catch (ProtocolError $error) {
            $this->broken = true;
            return $error;
        }
    }

    /** Whether a connection that is not used can be used. */
    public function alive(bool $changes): bool
    {
        if ($this->broken) {
            return false;
        }
        $now = hrtime(true) / 1e9;
        $idle = $now - $this->used;
        $this->used = $now;
        $most = $this->options->max_idle;
        // Short after its use a connection is not worth a call of the system.
        return ($most <= 0 || $idle < $most) && (!$changes && $idle < self::TRUSTED || $this->transport->alive());
    }

    /** Closes it. */
    public function close(): void
    {
        $this->broken = true;
        $this->transport->close();
    }
}
