<?php

declare(strict_types=1);

use HandlerSocket2\Client;
use HandlerSocket2\ConfigurationError;
use HandlerSocket2\ConnectionError;
use HandlerSocket2\OverloadedError;
use HandlerSocket2\ProtocolError;
use HandlerSocket2\TimeoutError;
use HandlerSocket2\ValueError;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/FakeServer.php';

/** The client at a server in another process that behaves as it is told. */
final class FakeServerTest extends TestCase
{
    use FakeServer;

    private static function reply(string $line): string
    {
        return $line[0] === 'P' ? "0\t1\n" : "0\t1\tab\n";
    }

    private static function manyGets(Client $client, int $number): array
    {
        $calls = $client->table('t.t', ['a'], raw: true)->calls();
        $pipeline = $client->pipeline();
        for ($at = 0; $at < $number; $at++) {
            $pipeline->add($calls->get(str_repeat('k', 1000)));
        }
        return $pipeline->run();
    }

    public function testAConnectionThatAnExceptionHasLostIsInUseNoMore(): void
    {
        $client = $this->client(static fn ($one, string $line) => fwrite($one, self::reply($line)), '&pool_size=1');
        $pool = (fn () => $this->places->read)->call($client);
        $taken = $pool->take(false);
        try {
            $pool->take(false);
            self::fail('there were two');
        } catch (TimeoutError) {
        }
        unset($taken);
        self::assertSame('ab', $client->table('t.t', ['a'], raw: true)->get(1)['a']);
    }

    public function testAnInIsAColumnAndAListOfItsValues(): void
    {
        $table = Client::connect('hs://127.0.0.1:1?retries=0')->table('t.t', ['a'], raw: true);
        foreach ([['a' => [1]], ['a'], ['a', 5], ['a', '12'], [5, [1]], ['a', [1], 2], []] as $wrong) {
            try {
                $table->find('=', 0, in: $wrong);
                self::fail('it was taken');
            } catch (ValueError $error) {
                self::assertStringContainsString('a column and a list', $error->getMessage());
            }
        }
    }

    public function testNamesTokensAndOptionsOfAnotherKindAreRefused(): void
    {
        $client = Client::connect('hs://127.0.0.1:1?retries=0');
        $table = $client->table('t.t', ['a'], raw: true);
        foreach ([[5], (object) []] as $wrong) {
            foreach (
                [
                    fn () => $client->table('t.t', [$wrong]),
                    fn () => $table->count('=', 1, filters: [[$wrong, '=', 1]]),
                    fn () => $client->raw('read', [$wrong]),
                    fn () => $client->raw('read', ['P', 0, 'test', 'user', 'PRIMARY', 'user_id']),
                    fn () => $client->raw('write', ['T', 'B']),
                    fn () => $client->raw('read', [0, '=', 1, 1]),
                    fn () => Client::connect('hs://h', ['host' => [$wrong]]),
                ] as $at => $call
            ) {
                try {
                    $call();
                    self::fail("$at was taken");
                } catch (ValueError | ConfigurationError) {
                    self::addToAssertionCount(1);
                }
            }
        }
    }

    public function testAClientThatIsClosedSaysSo(): void
    {
        $client = $this->client(static fn ($one, string $line) => fwrite($one, self::reply($line)) > 0);
        $table = $client->table('t.t', ['a'], raw: true);
        self::assertSame(['a' => 'ab'], $table->get(1));
        $client->close();
        foreach ([fn () => $table->get(1), fn () => $table->update(1, ['a' => 1]), $client->ping(...)] as $ask) {
            try {
                $ask();
                self::fail('it was not closed');
            } catch (ConnectionError $error) {
                self::assertSame('the client is closed', $error->getMessage());
            }
        }
    }

    public function testRepliesMayComeByteByByte(): void
    {
        $client = $this->client(static function ($one, string $line): void {
            array_map(static fn (string $byte) => fwrite($one, $byte), str_split(self::reply($line)));
        });
        self::assertSame([['a' => 'ab'], ['a' => 'ab']], self::manyGets($client, 2));
    }

    public function testGetManyInAPipelineIsAGetOfEachKey(): void
    {
        $client = $this->client(static function ($one, string $line): void {
            fwrite($one, $line[0] === 'P' ? "0\t1\n" : "0\t1\t" . trim(explode("\t", $line)[3]) . "\n");
        });
        $pipeline = $client->pipeline();
        $table = $pipeline->table($client->table('t.t', ['a'], raw: true));
        self::assertSame(0, $table->get(9));
        self::assertSame([1, 2], $table->getMany(['x' => 8, 'y' => 'seven']));
        self::assertSame([['a' => '9'], ['a' => '8'], ['a' => 'seven']], $pipeline->run());
    }

    public function testAPipelineIsReadWhileItIsSent(): void
    {
        $client = $this->client(static function ($one, string $line): void {
            fwrite($one, $line[0] === 'P' ? "0\t1\n" : "0\t1\t" . str_repeat('x', 2000) . "\n");
        });
        self::assertSame([str_repeat('x', 2000)], array_unique(array_column(self::manyGets($client, 10000), 'a')));
    }

    public function testReadsAreSentAgainWhenTheServerGoesAway(): void
    {
        $client = $this->client(static function ($one, string $line, int $number, int $at): bool {
            return fwrite($one, self::reply($line)) && ($number > 1 || $at < 4);
        });
        self::assertSame(array_fill(0, 100, ['a' => 'ab']), self::manyGets($client, 100));
    }

    public function testAChangeWithoutItsReplyIsNotSentAgain(): void
    {
        $client = $this->client(static fn ($one, string $line) => $line[0] === 'P' && fwrite($one, "0\t1\n") > 0);
        try {
            $client->table('t.t', ['a'], raw: true)->insert(['a' => 1]);
            self::fail('it was sent');
        } catch (ConnectionError $error) {
            self::assertTrue($error->sent);
        }
    }

    public function testCallsBehindAnIndexWithoutMemoryAreNotSentNorIsTheRestAgain(): void
    {
        $opened = 0;
        $changes = 0;
        $client = $this->client(static function ($one, string $line) use (&$opened, &$changes): void {
            $opened += (int) ($line[0] === 'P');
            $changes += (int) str_contains($line, "\t+\t");
            $refused = $line[0] === 'P' && $opened > 256 || $changes > 256;
            fwrite($one, $refused ? "1\t1\tmax_memory\n" : "0\t1\n");
        });
        $pipeline = $client->pipeline();
        for ($at = 0; $at < 300; $at++) {
            $pipeline->add($client->table("t.t$at", ['a'], raw: true)->calls()->insert(['a' => 1]));
        }
        $results = $pipeline->run();
        self::assertSame(array_fill(0, 256, null), array_slice($results, 0, 256));
        self::assertInstanceOf(OverloadedError::class, $results[256]);
        foreach (array_slice($results, 257) as $result) {
            self::assertInstanceOf(ConnectionError::class, $result);
            self::assertFalse($result->sent);
        }
    }

    public function testMoreRepliesThanRequestsAreNoneWhereAnIndexReplacesAnother(): void
    {
        $opened = 0;
        $client = $this->client(static function ($one, string $line) use (&$opened): void {
            fwrite($one, $line[0] === 'P' && ++$opened > 256 ? "0\t1\n0\t1\n" : "0\t1\n");
        });
        for ($at = 0; $at < 256; $at++) {
            $client->table("t.t$at", ['a'], raw: true)->insert(['a' => 1]);
        }
        $this->expectException(ProtocolError::class);
        $client->table('t.t256', ['a'], raw: true)->insert(['a' => 1]);
    }

    public function testASlowServerIsATimeout(): void
    {
        $client = $this->client(static fn () => true, '&timeout=0.1');
        $this->expectException(TimeoutError::class);
        $client->table('t.t', ['a'], raw: true)->get(1);
    }

    public function testThePortOfAnotherProgramIsTold(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $place = stream_socket_get_name($server, false);
        $child = pcntl_fork();
        if ($child === 0) {
            while ($one = @stream_socket_accept($server, 60)) {
                fwrite($one, "J\0\0\0\n11.4.2-MariaDB\0");
                while (!in_array(@fread($one, 4096), ['', false], true)) {
                    continue;
                }
                fclose($one);
            }
            posix_kill(getmypid(), SIGKILL);
        }
        $this->children[] = $child;
        fclose($server);
        try {
            Client::connect("hs://$place?retries=0")->ping();
            self::fail('it is no reply');
        } catch (ProtocolError $error) {
            $expected = "no connection to tcp://$place: this is no reply; is it HandlerSocket's port, or that of SQL?";
            self::assertSame($expected, $error->getMessage());
            self::assertFalse($error->sent);
        }
        $this->expectException(ConnectionError::class);
        $this->expectExceptionMessage("no TLS with tcp://$place: ");
        Client::connect("hs://$place?retries=0&tls=require")->ping();
    }

    public function testATlsHandshakeThatIsSlowTellsItsPlace(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $place = stream_socket_get_name($server, false);
        $this->expectException(TimeoutError::class);
        $this->expectExceptionMessage("no connection to tcp://$place: it took too long");
        Client::connect("hs://$place?retries=0&tls=require&connect_timeout=0.1")->ping();
    }

    public function testAPathOfWhichTheSystemWouldTakeTheBeginningIsRefused(): void
    {
        $this->expectException(ConfigurationError::class);
        Client::connect('hs+unix:///' . str_repeat('x', 200))->ping();
    }

    public function testATransactionBelongsToTheProcessThatBeganIt(): void
    {
        $client = $this->client(static fn ($one, string $line) => fwrite($one, $line[0] === 'T' ? "0\t1\n" : self::reply($line)));
        $transaction = $client->begin();
        $within = $transaction->table($client->table('t.t', ['a'], raw: true));
        $child = pcntl_fork();
        if ($child === 0) {
            $refused = 0;
            try {
                $within->get(1);
            } catch (ValueError) {
                $refused = 1;
            }
            $transaction->rollback();
            posix_kill(getmypid(), $refused ? SIGTERM : SIGKILL); // without what PHPUnit does at its end
        }
        pcntl_waitpid($child, $status);
        self::assertSame(SIGTERM, pcntl_wtermsig($status));
        self::assertSame(['a' => 'ab'], $within->get(1));
        $transaction->commit();
    }
}
