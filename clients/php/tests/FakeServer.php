<?php

declare(strict_types=1);

use HandlerSocket2\Client;

/** A server in another process that behaves as it is told. */
trait FakeServer
{
    private static string $hello = "0\t6\t2\tp\t1\tv\tdescribe,count,upsert,returning,transaction,gtid\t1\n";
    /** @var list<int> */
    private array $children = [];
    private bool $atOnce = false; // each connection has a process of its own

    protected function tearDown(): void
    {
        foreach ($this->children as $child) {
            posix_kill($child, SIGKILL);
            pcntl_waitpid($child, $status);
        }
        $this->children = [];
    }

    /** A client of a server that passes each line but H to `$answer`, with the numbers of connection and line. */
    private function client(Closure $answer, string $options = ''): Client
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) explode(':', stream_socket_get_name($server, false))[1];
        $child = pcntl_fork();
        if ($child === 0) {
            for ($number = 1; $one = @stream_socket_accept($server, 60); $number++) {
                if ($this->atOnce && pcntl_fork() > 0) {
                    continue;
                }
                for ($at = 0; ($line = fgets($one)) !== false; $at++) {
                    if ($line[0] === 'H') {
                        fwrite($one, self::$hello);
                    } elseif ($answer($one, $line, $number, $at) === false) {
                        break;
                    }
                }
                fclose($one);
                if ($this->atOnce) {
                    break;
                }
            }
            posix_kill(getmypid(), SIGKILL);
        }
        $this->children[] = $child;
        fclose($server);
        return Client::connect("hs://127.0.0.1:$port?write_port=$port$options");
    }
}
