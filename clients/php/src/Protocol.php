<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** The bytes of requests. It knows no socket. Values are null or bytes; what cannot be sent is a ValueError. */
final class Protocol
{
    public const MAX_NUMBER = 0xffffffff;
    private const OPERATORS = ['=', '=<', '>', '>=', '<', '<='];
    private const FILTER_OPERATORS = ['=', '!=', '>', '>=', '<', '<='];
    private const CHANGES = ['U', 'U?', 'U!', 'D', 'D?', '+', '+?', '+!', '-', '-?', '-!'];
    private const INSERTS = ['+', '+!', '+I', '+I?', '+I!', '+U', '+U?', '+U!', '+R', '+R?', '+R!'];

    /** The token of a value. */
    public static function value(?string $value): string
    {
        static $escapes = [];
        if (!$escapes) {
            for ($byte = 0; $byte < 16; $byte++) {
                $escapes[chr($byte)] = "\1" . chr($byte + 0x40);
            }
        }
        return $value === null ? "\0" : strtr($value, $escapes);
    }

    /** The token of a name, which cannot be escaped. */
    public static function name(string $text): string
    {
        if (strpbrk($text, "\t\n\r\0") !== false || preg_match('//u', $text) !== 1) {
            throw new ValueError('the name ' . json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE) . ' cannot be sent');
        }
        return $text;
    }

    /**
     * The parts of `database.table`, or the only part. A part may stand in backquotes, as in SQL.
     * @return list<string>
     */
    public static function splitName(string $text): array
    {
        $quoted = '`(?:[^`]|``)+`';
        $name = "($quoted|[^.`][^.]*)";
        $form = "/\\A(?:$name\\.($quoted|[^`].*)|$name)\\z/s";
        if (!preg_match($form, $text, $parts, PREG_UNMATCHED_AS_NULL)) {
            throw new ValueError("'$text' does not name a table and its database");
        }
        $names = array_values(array_filter(array_slice($parts, 1), is_string(...)));
        $bare = fn (string $name) => $name[0] === '`' ? str_replace('``', '`', substr($name, 1, -1)) : $name;
        return array_map($bare, $names);
    }

    /** The token of a number. */
    public static function number(mixed $value, int $most = self::MAX_NUMBER): string
    {
        if (!is_int($value) || $value < 0 || $value > $most) {
            throw new ValueError(json_encode($value, JSON_PARTIAL_OUTPUT_ON_ERROR) . " is no number from 0 to $most");
        }
        return (string) $value;
    }

    /** @param list<string> $names */
    private static function columns(array $names): string
    {
        foreach ($names as $name) {
            if (!is_string($name) || $name === '' || str_contains($name, ',')) {
                throw new ValueError('the column ' . json_encode($name, JSON_PARTIAL_OUTPUT_ON_ERROR) . ' cannot be sent');
            }
            self::name($name);
        }
        return implode(',', $names);
    }

    private static function line(string ...$tokens): string
    {
        return implode("\t", $tokens) . "\n";
    }

    /**
     * @param list<string> $columns
     * @param list<string> $filterColumns
     */
    public static function open(
        int $id,
        string $database,
        string $table,
        string $index,
        array $columns,
        ?array $filterColumns = null,
    ): string {
        $more = $filterColumns ? [self::columns($filterColumns)] : [];
        $names = array_map(self::name(...), [$database, $table, $index]);
        return self::line('P', self::number($id), ...$names, ...[self::columns($columns)], ...$more);
    }

    /**
     * @param list<?string> $key
     * @param ?array{part: int, values: list<?string>, all: bool} $in
     * @param list<array{string, string, int, ?string}> $filters
     * @return list<string>
     */
    private static function search(
        int $id,
        string $op,
        array $key,
        mixed $limit,
        mixed $offset,
        ?array $in,
        array $filters,
        bool $more,
    ): array {
        if (!in_array($op, self::OPERATORS, true)) {
            throw new ValueError("'$op' is no operator");
        }
        if (!$key) {
            throw new ValueError('the key has no values');
        }
        $tokens = [self::number($id), $op, (string) count($key), ...array_map(self::value(...), $key)];
        $bounds = [self::number($limit), self::number($offset)];
        if ($more || $in || $filters || $offset) {
            array_push($tokens, ...$bounds);
        } elseif ($limit !== 1) {
            $tokens[] = $bounds[0];
        }
        if ($in) {
            if (!$in['values'] || !isset($key[$in['part']]) && !array_key_exists($in['part'], $key)) {
                throw new ValueError('the list of values is empty, or none of a part of the key');
            }
            array_push($tokens, $in['all'] ? '&' : '@', (string) $in['part'], (string) count($in['values']));
            array_push($tokens, ...array_map(self::value(...), $in['values']));
        }
        foreach ($filters as [$kind, $operator, $column, $value]) {
            if (!in_array($kind, ['F', 'W'], true) || !in_array($operator, self::FILTER_OPERATORS, true)) {
                throw new ValueError("'$kind' '$operator' is no filter");
            }
            array_push($tokens, $kind, $operator, self::number($column), self::value($value));
        }
        return $tokens;
    }

    /**
     * @param list<?string> $key
     * @param ?array{part: int, values: list<?string>, all: bool} $in
     * @param list<array{string, string, int, ?string}>|null $filters
     */
    public static function find(
        int $id,
        string $op,
        array $key,
        mixed $limit = 1,
        mixed $offset = 0,
        ?array $in = null,
        ?array $filters = null,
    ): string {
        $plain = $op === '=' && $limit === 1 && $offset === 0 && !$in && !$filters;
        if ($plain && count($key) === 1 && $id >= 0 && $id <= self::MAX_NUMBER) { // as most requests are
            return "$id\t=\t1\t" . self::value($key[0]) . "\n";
        }
        return self::line(...self::search($id, $op, $key, $limit ?? 1, $offset ?? 0, $in, $filters ?? [], false));
    }

    /**
     * @param list<?string> $key
     * @param ?array{part: int, values: list<?string>, all: bool} $in
     * @param list<array{string, string, int, ?string}>|null $filters
     */
    public static function count(
        int $id,
        string $op,
        array $key,
        mixed $limit = 0,
        mixed $offset = 0,
        ?array $in = null,
        ?array $filters = null,
    ): string {
        $tokens = self::search($id, $op, $key, $limit ?? 0, $offset ?? 0, $in, $filters ?? [], true);
        return self::line(...$tokens, ...['C']);
    }

    /**
     * @param list<?string> $key
     * @param ?array{part: int, values: list<?string>, all: bool} $in
     * @param list<array{string, string, int, ?string}>|null $filters
     * @param list<?string> $values
     */
    public static function change(
        int $id,
        string $op,
        array $key,
        mixed $limit,
        mixed $offset,
        ?array $in,
        ?array $filters,
        string $verb,
        array $values,
    ): string {
        if (!in_array($verb, self::CHANGES, true)) {
            throw new ValueError("'$verb' is no change");
        }
        $tokens = self::search($id, $op, $key, $limit ?? 1, $offset ?? 0, $in, $filters ?? [], true);
        return self::line(...$tokens, ...[$verb], ...array_map(self::value(...), $values));
    }

    /**
     * @param list<?string> $values
     * @param ?list<?string> $update
     */
    public static function insert(int $id, string $verb, array $values, ?array $update = null): string
    {
        if (!in_array($verb, self::INSERTS, true) || ($update !== null && !str_starts_with($verb, '+U'))) {
            throw new ValueError("'$verb' is no insert of this kind");
        }
        $tokens = [self::number($id), $verb, (string) count($values), ...array_map(self::value(...), $values)];
        if ($update !== null) {
            array_push($tokens, (string) count($update), ...array_map(self::value(...), $update));
        }
        return self::line(...$tokens);
    }

    public static function begin(?string $isolation = null, ?bool $readOnly = false): string
    {
        if (!in_array($isolation, [null, 'RU', 'RC', 'RR', 'SR'], true)) {
            throw new ValueError("'$isolation' is no isolation");
        }
        return self::line('T', 'B', ...($isolation === null ? [] : [$isolation]), ...($readOnly ? ['RO'] : []));
    }

    public static function commit(): string
    {
        return "T\tC\n";
    }

    public static function rollback(): string
    {
        return "T\tR\n";
    }

    public static function savepoint(string $label, string $verb = 'S'): string
    {
        if (strlen($label) > 256) {
            throw new ValueError('the name of a savepoint has at most 256 bytes');
        }
        return self::line('T', $verb, self::value($label));
    }

    public static function rollbackTo(string $label): string
    {
        return self::savepoint($label, 'U');
    }

    public static function lastGtid(): string
    {
        return "G\tL\n";
    }

    public static function waitGtid(string $gtid, mixed $milliseconds): string
    {
        return self::line('G', 'W', self::name($gtid), self::number($milliseconds, 600_000));
    }

    public static function hello(mixed $version, string $client): string
    {
        return self::line('H', self::number($version), self::name($client));
    }

    public static function describe(?string $database = null, ?string $table = null, ?bool $indexes = false): string
    {
        if (($table !== null && ($database ?? '') === '') || ($indexes && $table === null)) {
            throw new ValueError('a table has a database');
        }
        $names = $table !== null ? [$database, $table] : ($database !== null ? [$database] : []);
        return self::line('D', ...array_map(self::value(...), $names), ...($indexes ? ['I'] : []));
    }

    /** @param ?list<string> $methods */
    public static function login(string $user, ?array $methods = null): string
    {
        return self::line('A', '2', self::name($user), ...($methods ? [self::name(implode(',', $methods))] : []));
    }

    public static function answer(string $response): string
    {
        return self::line('A', '3', bin2hex($response));
    }

    public static function password(string $user, string $password): string
    {
        return self::line('A', '4', self::name($user), self::value($password));
    }

    public static function secret(string $secret): string
    {
        return self::line('A', '1', self::value($secret));
    }

    /** The response of mysql_native_password. */
    public static function nativePassword(string $password, string $challenge): string
    {
        if ($password === '') {
            return '';
        }
        $once = sha1($password, true);
        return $once ^ sha1($challenge . sha1($once, true), true);
    }
}
