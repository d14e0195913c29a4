<?php

declare(strict_types=1);

use HandlerSocket2\Calls;
use HandlerSocket2\ConfigurationError;
use HandlerSocket2\Gtids;
use HandlerSocket2\Options;
use HandlerSocket2\Protocol;
use HandlerSocket2\ProtocolError;
use HandlerSocket2\Reader;
use HandlerSocket2\Reply;
use HandlerSocket2\ValueError;
use HandlerSocket2\Values;
use PHPUnit\Framework\TestCase;

/** The vectors that all clients share. */
final class VectorsTest extends TestCase
{
    private static function cases(string $kind): array
    {
        $file = __DIR__ . "/../../vectors/$kind.json";
        return json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR)['cases'];
    }

    private static function raw(mixed $text): mixed
    {
        if (is_array($text)) {
            return array_map(self::raw(...), $text);
        }
        return is_string($text) ? mb_convert_encoding($text, 'ISO-8859-1', 'UTF-8') : $text;
    }

    private static function cuts(string $data): iterable
    {
        yield [$data];
        for ($at = 1; $at < strlen($data); $at += max(1, intdiv(strlen($data), 500))) {
            yield [substr($data, 0, $at), substr($data, $at)];
        }
        yield str_split($data);
    }

    private static function read(array $pieces, Reader $reader): array
    {
        $replies = [];
        foreach ($pieces as $piece) {
            array_push($replies, ...$reader->feed($piece));
        }
        return array_map(static fn ($one) => $one instanceof Reply
            ? [$one->columns, $one->values]
            : [substr(strrchr(get_class($one), '\\'), 1), $one->getCode(), $one->text, $one->number, $one->getMessage()], $replies);
    }

    private static function expected(array $case): array
    {
        return isset($case['code'])
            ? [$case['class'], $case['code'], $case['text'], $case['number'] ?? null,
                "{$case['text']} (code {$case['code']})" . (isset($case['hint']) ? ": {$case['hint']}" : '')]
            : [$case['columns'], self::raw($case['values'])];
    }

    public function testValuesHaveTheirTokens(): void
    {
        foreach (self::cases('values') as $case) {
            self::assertSame(self::raw($case['token']), Protocol::value(self::raw($case['value'])), $case['name']);
            foreach ([$case['token'], ...$case['also'] ?? []] as $token) {
                self::assertSame(self::raw($case['value']), Reader::value(self::raw($token)), $case['name']);
            }
        }
    }

    private function refused(string $class, string $name, Closure $work): void
    {
        try {
            $work();
        } catch (Throwable $error) {
            self::assertInstanceOf($class, $error, $name);
            return;
        }
        self::fail("$name was taken");
    }

    public function testWhatIsNoValueIsRefused(): void
    {
        foreach (self::cases('bad_values') as $case) {
            $this->refused(ProtocolError::class, $case['name'], fn () => Reader::value(self::raw($case['token'])));
        }
    }

    private static function request(array $call): string
    {
        $name = array_shift($call);
        $method = lcfirst(str_replace('_', '', ucwords($name, '_')));
        if ($name === 'answer') {
            $call[0] = hex2bin($call[0]);
        } elseif (in_array($name, ['find', 'count', 'change', 'insert'], true)) {
            $call = self::raw($call);
        }
        return Protocol::$method(...$call);
    }

    public function testRequestsHaveTheirBytes(): void
    {
        foreach (self::cases('requests') as $case) {
            $plain = self::request($case['call']);
            $expected = self::raw($case['bytes']);
            if ($plain !== $expected) { // names in which a character is a byte
                $plain = self::request(self::raw($case['call']));
            }
            self::assertSame($expected, $plain, $case['name']);
        }
    }

    public function testWhatCannotBeSentIsRefused(): void
    {
        foreach (self::cases('bad_requests') as $case) {
            $this->refused(ValueError::class, $case['name'], fn () => self::request($case['call']));
        }
    }

    public function testRepliesAreReadInAnyPieces(): void
    {
        foreach ([...self::cases('replies'), ...self::cases('errors'), ...self::cases('streams')] as $case) {
            $expected = array_map(self::expected(...), $case['replies'] ?? [$case]);
            foreach (self::cuts(self::raw($case['bytes'])) as $pieces) {
                $reader = new Reader();
                self::assertSame($expected, self::read($pieces, $reader), $case['name']);
                self::assertSame($case['rest'] ?? 0, $reader->rest(), $case['name']);
            }
        }
    }

    public function testWhatIsNoReplyIsRefused(): void
    {
        foreach (self::cases('bad_replies') as $case) {
            foreach (self::cuts(self::raw($case['bytes'])) as $pieces) {
                $this->refused(ProtocolError::class, $case['name'], fn () => self::read($pieces, new Reader()));
            }
        }
    }

    public function testRepliesHaveABound(): void
    {
        foreach (self::cases('long_replies') as $case) {
            foreach (self::cuts(self::raw($case['bytes'])) as $pieces) {
                $work = fn () => self::read($pieces, new Reader($case['max_reply']));
                if ($case['error']) {
                    $this->refused(ProtocolError::class, $case['name'], $work);
                } else {
                    self::assertIsArray($work());
                }
            }
        }
    }

    public function testUrlsHaveTheirOptions(): void
    {
        foreach (self::cases('urls') as $case) {
            if (isset($case['error'])) {
                $work = fn () => Options::parseUrl($case['url']);
                $this->refused(ConfigurationError::class, $case['name'], $work);
            } else {
                $expected = new Options($case['options']);
                self::assertEquals($expected, new Options(Options::parseUrl($case['url'])), $case['name']);
            }
        }
    }

    public function testPasswordsAnswerChallenges(): void
    {
        foreach (self::cases('logins') as $case) {
            $response = Protocol::nativePassword(hex2bin($case['password']), hex2bin($case['challenge']));
            self::assertSame($case['response'], bin2hex($response), $case['name']);
        }
    }

    public function testReadsWaitForTheHighestGtids(): void
    {
        foreach (self::cases('gtids') as $case) {
            $known = new Gtids();
            foreach ($case['told'] as $told) {
                self::assertTrue($told === '' || Gtids::isOne($told), $case['name']);
                $known->note($told);
            }
            self::assertEqualsCanonicalizing($case['known'], array_filter(explode(',', $known->all())), $case['name']);
        }
    }

    public function testTypesHaveTheirKinds(): void
    {
        foreach (self::cases('types') as $case) {
            self::assertSame($case['kind'], Values::kind($case['type']), $case['name']);
        }
    }

    public function testValuesOfPhpKeepTheirMeaning(): void
    {
        self::assertSame('18446744073709551615', Values::fromBytes('integer', '18446744073709551615'));
        self::assertSame(7, Values::fromBytes('integer', '0007'));
        self::assertSame('0000-00-00', Values::fromBytes('date', '0000-00-00'));
        $time = Values::fromBytes('datetime', '2024-02-29 12:34:56.789');
        self::assertSame('2024-02-29 12:34:56.789000', Values::toBytes($time));
        self::assertSame(0.1, (float) Values::toBytes(0.1));
        $this->refused(ValueError::class, 'an infinity', fn () => Values::toBytes(INF));
    }

    public function testAFilterMayEndTheSearch(): void
    {
        $wire = [['F', '!=', 0, 'x'], ['W', '<', 1, '80']];
        self::assertSame([['a', 'n'], $wire], Calls::filters([['a', '!=', 'x'], ['n', '<', 80, 'while']]));
        $this->refused(ValueError::class, 'another word', fn () => Calls::filters([['n', '<', 80, 'until']]));
    }
}
