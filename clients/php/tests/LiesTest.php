<?php

declare(strict_types=1);

use HandlerSocket2\Client;
use HandlerSocket2\Pipeline;
use HandlerSocket2\ProtocolError;
use HandlerSocket2\Table;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/FakeServer.php';

/** Replies that are well formed, and none to what was asked: a ProtocolError, never a row or a number. */
final class LiesTest extends TestCase
{
    use FakeServer;

    private const COLUMN = "\ta\tint(11)\tNO\t\t\0\t\t\0\t\tf\tdouble\tNO\t\t\0\t\t\0\t\td\tdate\tNO\t\t\0\t\t\0\t";

    /** A client whose lines that begin so are answered with the lie, and whose other lines honestly. */
    private function lying(string $lie, string $to = "0\t", string $options = ''): Client
    {
        return $this->client(static function ($one, string $line) use ($lie, $to): void {
            fwrite($one, match (true) {
                str_starts_with($line, $to) => "$lie\n",
                str_ends_with($line, "\tI\n") => "0\t6\tPRIMARY\t1\ta\t1\tA\t\0\n",
                $line[0] === 'D' => "0\t8" . self::COLUMN . "\n",
                default => "0\t1\n",
            });
        }, "&retries=0$options");
    }

    /** That it is refused, and its connection not used again. */
    private function refused(Client $client, Closure $work, string $what): void
    {
        foreach ([1, 2] as $time) {
            try {
                $got = $work($client);
            } catch (ProtocolError $error) {
                self::assertTrue($error->sent, $what);
                self::assertSame(0, self::kept($client), $what);
                continue;
            }
            self::fail("$what, time $time: taken for " . var_export($got, true));
        }
    }

    /** How many connections wait for the next call. */
    private static function kept(Client $client): int
    {
        $idle = static fn (?object $pool) => $pool ? (fn () => count($this->idle))->call($pool) : 0;
        $places = (fn () => $this->places)->call($client);
        return $idle($places->read) + $idle((fn () => $this->write)->call($places));
    }

    private static function pair(Client $client): Table
    {
        return $client->table('t.t', ['a', 'b'], raw: true);
    }

    public function testRowsOfAnotherWidthAreNoRows(): void
    {
        $calls = [
            static fn ($db) => self::pair($db)->get(1),
            static fn ($db) => self::pair($db)->getMany([1]),
            static fn ($db) => self::pair($db)->find('>=', 1, 9),
            static fn ($db) => self::pair($db)->update(1, ['a' => 1, 'b' => 2], returning: 'after'),
            static fn ($db) => self::pair($db)->delete(1, returning: 'before'),
        ];
        foreach (["0\t1\t1", "0\t1", "0\t3", "0\t3\t1\t2\t3", "0\t0", "0\t4\t1\t2\t3\t4"] as $lie) {
            foreach ($calls as $at => $work) {
                $this->refused($this->lying($lie), $work, "$lie to call $at");
            }
        }
        $this->refused($this->lying("0\t2\t1\t2\t3\t4"), $calls[0], 'two rows of get');
    }

    public function testAPageHasTheColumnsAndNoMoreRowsThanWereAskedFor(): void
    {
        foreach (["0\t1\t1\t2\t3", "0\t2\t1\t2"] as $lie) {
            $work = static fn ($db) => iterator_to_array($db->table('t.t', ['a'])->range(1, page: 2));
            $this->refused($this->lying($lie), $work, $lie);
        }
    }

    public function testWhatIsNoCountIsNone(): void
    {
        $calls = [
            static fn ($db) => self::pair($db)->count('=', 1),
            static fn ($db) => self::pair($db)->update(1, ['a' => 1]),
            static fn ($db) => self::pair($db)->upsert(['a' => 1]),
            static fn ($db) => self::pair($db)->insertIgnore(['a' => 1]),
        ];
        $many = str_repeat('9', 19);
        foreach (["0\t1", "0\t1\t-5", "0\t1\t 1", "0\t1\t", "0\t1\t\0", "0\t1\t$many", "0\t1\t1\t1"] as $lie) {
            foreach ($calls as $at => $work) {
                $this->refused($this->lying($lie), $work, "$lie to call $at");
            }
        }
        $this->refused($this->lying("0\t2\t1\t1"), $calls[1], 'an id of an update');
        $this->refused($this->lying("0\t2\t1\t-7"), $calls[3], 'an id below zero');
    }

    public function testWhatIsNoIdIsNone(): void
    {
        foreach (["0\t1\tabc", "0\t1\t-1", "0\t2\t1\t1", "0\t1\t1\t1"] as $lie) {
            $this->refused($this->lying($lie), static fn ($db) => self::pair($db)->insert(['a' => 1]), $lie);
        }
    }

    public function testWhatItsColumnCannotHoldIsNoValue(): void
    {
        $lies = ['a' => ['', ' 1', '1.5', 'abc', str_repeat('9', 21)], 'f' => ['', 'nan', '1_0', ' 1', '1e999', 'x']];
        foreach ($lies as $column => $values) {
            foreach ($values as $value) {
                $work = static fn ($db) => $db->table('t.t', [$column])->get(1);
                $this->refused($this->lying("0\t1\t$value"), $work, "$column $value");
            }
        }
    }

    public function testWhatIsNoDayIsText(): void
    {
        foreach (['9999999-12-31', '2024-99-99', '', "2024-02-2\1@"] as $value) {
            $row = $this->lying("0\t1\t$value")->table('t.t', ['d'])->get(1);
            self::assertSame(['d' => str_replace("\1@", "\0", $value)], $row);
        }
    }

    public function testWhatDescribesNothingIsNoDescription(): void
    {
        foreach (["0\t8" . str_repeat("\t\0", 8), "0\t1\tx"] as $lie) {
            $this->refused($this->lying($lie, "D\t"), static fn ($db) => $db->table('t.t')->get(1), $lie);
            $this->refused($this->lying($lie, "D\t"), static fn ($db) => $db->describe('t.t'), $lie);
        }
        foreach (["0\t6" . str_repeat("\t\0", 6), "0\t6\tP\tx\tc\t1\tA\t\0", "0\t1\tx"] as $lie) {
            $this->refused($this->lying($lie, "D\t"), static fn ($db) => $db->indexes('t.t'), $lie);
        }
    }

    public function testWhereThereIsNothingToTellNothingIsTold(): void
    {
        $this->refused($this->lying("0\t3\ta\tb\tc", "P\t"), static fn ($db) => self::pair($db)->get(1), 'P');
        foreach (["T\tB", "T\tC"] as $to) {
            $work = static fn ($db) => $db->transaction(static fn () => 1);
            $this->refused($this->lying("0\t1\t5", $to), $work, $to);
        }
    }

    public function testWhatIsNoGtidIsNone(): void
    {
        foreach (["0\t1\t\xff;x", "0\t2\t0-1-1\t0-1-2", "0\t1\t1", "0\t1"] as $lie) {
            $client = $this->client(static function ($one, string $line) use ($lie): void {
                fwrite($one, $line === "G\tL\n" ? "$lie\n" : ($line[0] === '0' ? "0\t1\t1\n" : "0\t1\n"));
            });
            self::pair($client)->update(1, ['a' => 1]);
            try {
                $client->lastGtid();
                self::fail($lie);
            } catch (ProtocolError) {
                self::assertTrue(true);
            }
        }
    }

    public function testTheRestOfAPipelineHasItsResults(): void
    {
        $client = $this->client(static function ($one, string $line, int $number, int $at): void {
            fwrite($one, ["0\t1\n", "0\t2\t1\t2\n", "0\t3\t1\t2\t3\n", "0\t2\t5\t6\n"][$at - 1]);
        }, '&retries=0');
        [$first, $second, $third] = $client->pipeline(static function (Pipeline $pipeline) use ($client): void {
            $inside = $pipeline->table(self::pair($client));
            self::assertSame([0, 1, 2], array_map($inside->get(...), [1, 2, 3]));
        });
        self::assertSame([['a' => '1', 'b' => '2'], ['a' => '5', 'b' => '6']], [$first, $third]);
        self::assertInstanceOf(ProtocolError::class, $second);
    }

    public function testALongReplyToSomethingElseIsNotListed(): void
    {
        $calls = [
            static fn ($db) => self::pair($db)->get(1),
            static fn ($db) => self::pair($db)->getMany([1]),
            static fn ($db) => self::pair($db)->find('>=', 1, 9),
            static fn ($db) => self::pair($db)->count('=', 1),
            static fn ($db) => self::pair($db)->delete(1),
            static fn ($db) => self::pair($db)->insert(['a' => 1]),
            static fn ($db) => self::pair($db)->upsert(['a' => 1]),
        ];
        $lie = "0\t2" . str_repeat("\t", 1 << 22); // a list of them would take 64 MiB
        foreach ($calls as $at => $work) {
            $client = $this->lying($lie);
            memory_reset_peak_usage();
            $before = memory_get_usage();
            $this->refused($client, $work, "call $at");
            self::assertLessThan(48 << 20, memory_get_peak_usage() - $before, "call $at");
        }
        $this->refused($this->lying($lie, "D\t"), static fn ($db) => $db->describe('test.t'), 'describe');
        $this->refused($this->lying($lie, "P\t"), static fn ($db) => self::pair($db)->get(1), 'open_index');
    }

    public function testALongReplyHasItsValues(): void
    {
        $long = str_repeat('x', 70_000);
        $client = $this->lying("0\t4\t" . implode("\t", array_fill(0, 10, "\t\0\t\1I\1@\t$long")));
        $found = $client->table('t.t', ['a', 'b', 'c', 'd'], raw: true)->find('>=', 1, 10);
        self::assertSame(array_fill(0, 10, ['a' => '', 'b' => null, 'c' => "\t\0", 'd' => $long]), $found);
        foreach (["\t\1", "\t\1a", "\t\t"] as $lie) {
            $work = static fn ($db) => self::pair($db)->find('>=', 1, 10);
            $this->refused($this->lying("0\t2\t$long$lie"), $work, bin2hex($lie));
        }
    }
}
