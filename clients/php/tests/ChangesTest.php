<?php

declare(strict_types=1);

use HandlerSocket2\Client;
use HandlerSocket2\ConnectionError;
use HandlerSocket2\Gtids;
use HandlerSocket2\Options;
use HandlerSocket2\Places;
use HandlerSocket2\Table;
use HandlerSocket2\Transport;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/FakeServer.php';

/** The GTIDs of changes, and which changes are sent again. */
final class ChangesTest extends TestCase
{
    use FakeServer;

    private string $notes = '';

    private static function table(Client $client): Table
    {
        return $client->table('t.t', ['a'], raw: true);
    }

    /** A client of a server whose changes have these GTIDs, one after the other. */
    private function told(string $options, string ...$gtids): Client
    {
        $notes = $this->notes = tempnam(sys_get_temp_dir(), 'hs');
        return $this->client(static function ($one, string $line) use (&$gtids, $notes): void {
            file_put_contents($notes, $line, FILE_APPEND);
            fwrite($one, match (true) {
                $line === "G\tL\n" => "0\t1\t" . array_shift($gtids) . "\n",
                $line[0] === '0' => "0\t1\t1\n",
                default => "0\t1\n",
            });
        }, $options);
    }

    /** @return list<string> the lines that were sent, but P */
    private function sent(): array
    {
        $lines = file($this->notes, FILE_IGNORE_NEW_LINES);
        unlink($this->notes);
        return array_values(array_filter($lines, static fn (string $line) => $line[0] !== 'P'));
    }

    public function testTheGtidOfACommitIsAskedForBehindIt(): void
    {
        $client = $this->told('&read_your_writes=on', '0-1-7');
        $work = static fn ($transaction) => $transaction->table('t.t', ['a'], raw: true)->update(1, ['a' => 1]);
        $client->transaction($work);
        self::assertSame('0-1-7', $client->lastGtid());
        self::assertSame(["T\tB", "0\t=\t1\t1\t1\t0\tU\t1", "T\tC", "G\tL"], $this->sent());
    }

    public function testWhatOnlyReadsOrIsRolledBackHasNoGtid(): void
    {
        foreach ([true, false] as $readOnly) {
            $client = $this->told('&read_your_writes=on', '0-1-7');
            $transaction = $client->begin(readOnly: $readOnly);
            $readOnly ? $transaction->commit() : $transaction->rollback();
            self::assertSame('', $client->lastGtid());
            self::assertNotContains("G\tL", $this->sent());
        }
    }

    public function testAChangeBesideATransactionIsAskedForToo(): void
    {
        $this->atOnce = true;
        $client = $this->told('', '0-1-7');
        $transaction = $client->begin();
        self::table($client)->update(1, ['a' => 1]);
        $transaction->rollback();
        self::assertSame('0-1-7', $client->lastGtid());
        self::assertSame('0-1-7', $client->lastGtid());
        self::assertCount(1, array_keys($this->sent(), "G\tL"));
    }

    public function testTheLastChangeOfEachDomainIsRemembered(): void
    {
        foreach (['&read_your_writes=on', ''] as $options) {
            $client = $this->told($options, '0-1-7', '3-1-2', '0-1-6', '');
            for ($at = 0; $at < 4; $at++) {
                self::table($client)->update(1, ['a' => 1]);
                $last = $client->lastGtid();
            }
            self::assertSame('0-1-7,3-1-2', $last);
            unlink($this->notes);
        }
    }

    public function testAGtidThatIsToldLateTakesNothingBack(): void
    {
        $gtids = new Gtids();
        array_map($gtids->note(...), ['0-1-10', '0-1-9', '0-2-11', '', '1-1-18446744073709551615', '1-1-9']);
        self::assertSame('0-2-11,1-1-18446744073709551615', $gtids->all());
    }

    public function testAClosedSocketTellsThatNothingWasSent(): void
    {
        foreach ([10, 1000000] as $size) {
            [$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
            stream_set_blocking($one, false);
            fclose($other);
            $transport = Closure::bind(static fn () => new Transport($one, false, 'a pair'), null, Transport::class)();
            try {
                $transport->send(str_repeat('x', $size), static fn () => null);
                self::fail('it was sent');
            } catch (ConnectionError $error) {
                self::assertFalse($error->sent);
            }
        }
    }

    public function testWhatWasSentOfAPieceIsNotSentAgain(): void
    {
        [$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
        $data = implode('', array_map(static fn (int $number) => sprintf('%04d', $number), range(0, 4095)));
        $socket = socket_import_stream($one);
        socket_set_option($socket, SOL_SOCKET, SO_SNDBUF, 4608);
        stream_set_timeout($one, 0, 50000);
        $transport = Closure::bind(static fn () => new Transport($one, false, 'a pair'), null, Transport::class)();
        $sent = $transport->sendAtOnce($data);
        self::assertGreaterThan(0, $sent);
        self::assertLessThan(strlen($data), $sent);
        socket_set_option($socket, SOL_SOCKET, SO_SNDBUF, 1 << 20);
        $transport->send($data, static fn () => null, $sent);
        fclose($one);
        self::assertSame($data, stream_get_contents($other));

        [$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
        fclose($other);
        $transport = Closure::bind(static fn () => new Transport($one, false, 'a pair'), null, Transport::class)();
        try {
            $transport->send($data, static fn () => null, 1);
            self::fail('it was sent');
        } catch (ConnectionError $error) {
            self::assertTrue($error->sent);
        }
    }

    public function testAChangeIsSentAgainWhenNothingOfItWasSent(): void
    {
        $places = new Places(Options::make('hs://db?retries=1', []));
        foreach ([false, true] as $sent) {
            $results = [[new ConnectionError('broken pipe', $sent)], [1]];
            $once = static function () use (&$results): array {
                return array_shift($results);
            };
            [$result] = (fn () => $this->again($once, true))->call($places);
            self::assertSame($sent, $result instanceof ConnectionError);
        }
    }
}
