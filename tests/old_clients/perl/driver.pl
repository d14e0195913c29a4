# Drives the unchanged client Net::HandlerSocket: driver.pl HOST PORT PORT_WR TABLE.
use strict;
use warnings;

use Net::HandlerSocket;

my ($host, $port, $port_wr, $table) = @ARGV;
my @rows = (
    [1, 'alice', undef, 10],
    [2, 'bob', '', 20],
    # The client sends and returns bytes: text is encoded by its user.
    [3, "h\xc3\xa9\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80", "\xc3\xbcn\xc3\xaf", 30],
    [4, 'bytes', "a\tb\nc\0d\x01e", 40],
    [5, 'bob', 'second bob', 50],
);

sub show {
    my ($value) = @_;
    return 'undef' if !defined $value;
    return '[' . join(', ', map { show($_) } @$value) . ']' if ref $value;
    $value =~ s/([^ -~])/sprintf('\\x%02x', ord $1)/ge;
    return "'$value'";
}

sub expect {
    my ($what, $got, $wanted) = @_;
    my ($is, $should) = (show($got), show($wanted));
    die "$what: got $is instead of $should\n" if $is ne $should;
    return;
}

sub flat { return map { @$_ } @_ }

sub drive {
    my $reader = Net::HandlerSocket->new({ host => $host, port => $port });
    my $writer = Net::HandlerSocket->new({ host => $host, port => $port_wr });
    expect('connect', [map { $_->get_error_code() } $reader, $writer], [0, 0]);
    my $columns = 'id,name,note,n';
    expect('open to read', $reader->open_index(1, 'test', $table, 'PRIMARY', $columns), 0);
    expect('open to write', $writer->open_index(1, 'test', $table, 'PRIMARY', $columns), 0);
    expect('open by name', $reader->open_index(2, 'test', $table, 'name_idx', 'id,name', 'n'), 0);

    expect('insert', $writer->execute_insert(1, $_), [0]) for @rows[0 .. 2];
    expect('insert as single', $writer->execute_single(1, '+', $rows[3], 0, 0), [0]);
    # The limit goes on the wire behind the values, where it means nothing.
    expect('insert with a limit', $writer->execute_single(1, '+', $rows[4], 1, 0), [0]);
    expect('duplicate key', $writer->execute_insert(1, $rows[0]), [1, '121']);
    expect('its code and text', [$writer->get_error_code(), $writer->get_error()], [1, '121']);

    for my $row (@rows) {
        expect('exact', $reader->execute_single(1, '=', [$row->[0]], 1, 0), [0, @$row]);
        expect('exact on the write port', $writer->execute_find(1, '=', [$row->[0]], 1, 0), [0, @$row]);
    }
    expect('not found', $reader->execute_find(1, '=', [99], 1, 0), [0]);
    expect('range', $reader->execute_find(1, '>=', [2], 10, 0), [0, flat(@rows[1 .. 4])]);
    expect('limit and offset', $reader->execute_find(1, '>', [2], 2, 1), [0, flat(@rows[3, 4])]);
    expect('descending', $reader->execute_find(1, '<=', [3], 10, 0), [0, flat(@rows[2, 1, 0])]);
    expect('descending with limit', $reader->execute_find(1, '<', [3], 1, 0), [0, flat($rows[1])]);
    expect('no limit is one row', $reader->execute_find(1, '>=', [1], 0, 0), [0, flat($rows[0])]);
    expect('offset without limit', $reader->execute_find(1, '>=', [1], 0, 1), [0, flat($rows[1])]);
    expect('secondary index', $reader->execute_find(2, '=', ['bob'], 10, 0), [0, 2, 'bob', 5, 'bob']);
    expect('secondary index, not found', $reader->execute_find(2, '=', ['nobody'], 1, 0), [0]);
    expect('secondary index, NULL', $reader->execute_find(2, '=', [undef], 10, 0), [0]);

    expect('update', $writer->execute_single(1, '=', [2], 1, 0, 'U', [2, 'robert', undef, 21]), [0, 1]);
    expect('updated', $reader->execute_find(1, '=', [2], 1, 0), [0, 2, 'robert', undef, 21]);
    expect('update of nothing', $writer->execute_update(1, '=', [99], 1, 0, [99, 'x', '', 0]), [0, 0]);
    expect('update to the empty string', $writer->execute_update(1, '=', [5], 0, 0, [5, 'bob', '', 51]),
        [0, 1]);
    expect('updated by name', $reader->execute_find(2, '=', ['bob'], 10, 0), [0, 5, 'bob']);
    expect('delete', $writer->execute_single(1, '=', [4], 1, 0, 'D'), [0, 1]);
    expect('delete of nothing', $writer->execute_delete(1, '=', [4], 1, 0), [0, 0]);
    expect('deleted', $reader->execute_find(1, '=', [4], 1, 0), [0]);

    expect('write on the read port', $reader->execute_insert(1, $rows[3]), [2, 'readonly']);
    expect('unknown table', $reader->open_index(3, 'test', 'no_such_table', 'PRIMARY', 'id'), 1);
    expect('its text', $reader->get_error(), 'open_table');
    expect('unknown index', $reader->open_index(3, 'test', $table, 'no_such_index', 'id'), 2);
    expect('its text', $reader->get_error(), 'idxnum');
    expect('unknown column', $reader->open_index(3, 'test', $table, 'PRIMARY', 'no_such_column'), 2);
    expect('its text', $reader->get_error(), 'fld');
    expect('unknown index id', $reader->execute_find(77, '=', [1], 1, 0), [2, 'stmtnum']);

    # Pipelines: one write, one answer for each request, later ones see the changes of earlier ones.
    expect(
        'pipeline of finds',
        $reader->execute_multi([[1, '=', [1], 1, 0], [1, '=', [99], 1, 0], [77, '=', [1], 1, 0], [1, '>=', [3], 9, 0]]),
        [[0, flat($rows[0])], [0], [2, 'stmtnum'], [0, flat($rows[2]), 5, 'bob', '', 51]]
    );
    my $changed = [9, 'changed', '', 9];
    expect(
        'pipeline of changes',
        $writer->execute_multi([
            [1, '+', [9, 'new', undef, 8]], [1, '=', [9], 1, 0], [1, '+', [9, 'again', undef, 8]],
            [1, '=', [9], 1, 0, 'U', $changed], [1, '=', [9], 1, 0], [1, '=', [9], 1, 0, 'D'],
            [1, '=', [9], 1, 0],
        ]),
        [[0], [0, 9, 'new', undef, 8], [1, '121'], [0, 1], [0, @$changed], [0, 1], [0]]
    );

    extended($reader, $writer) if $ENV{HS_EXTENDED};
    expect('reconnect', $reader->reconnect(), 0);
    expect('index ids are gone', $reader->execute_find(1, '=', [1], 1, 0), [2, 'stmtnum']);
    $_->close() for $reader, $writer;
    return;
}

sub extended {
    my ($reader, $writer) = @_;
    expect('IN', $reader->execute_find(1, '=', [0], 10, 0, undef, undef, undef, 0, [1, 99, 3]),
        [0, flat(@rows[0, 2])]);
    expect('filter', $reader->execute_find(2, '>=', [''], 10, 0, undef, undef, [['F', '=', 0, 51]]),
        [0, 5, 'bob']);
    expect('while', $reader->execute_find(2, '>=', [''], 10, 0, undef, undef, [['W', '<', 0, 20]]),
        [0, 1, 'alice']);
    expect('update, old row', $writer->execute_single(1, '=', [1], 1, 0, 'U?', [1, 'alice', 'x', 11]),
        [0, flat($rows[0])]);
    expect('increment', $writer->execute_single(1, '=', [1], 1, 0, '+', [0, undef, undef, 5]), [0, 1]);
    expect('decrement', $writer->execute_single(1, '=', [1], 1, 0, '-', [0, undef, undef, 2]), [0, 1]);
    expect('counted', $reader->execute_find(1, '=', [1], 1, 0), [0, 1, 'alice', 'x', 14]);
    expect('put back', $writer->execute_update(1, '=', [1], 1, 0, $rows[0]), [0, 1]);
    expect('authentication is off', [$reader->auth(''), $reader->auth('wrong'), $reader->auth('')], [0, 3, 0]);
    return;
}

$SIG{ALRM} = sub { print "no answer within 60 seconds\n"; exit 1 };
alarm 60;
if (!eval { drive(); 1 }) {
    print $@;
    exit 1;
}
print "ok perl Net::HandlerSocket $Net::HandlerSocket::VERSION\n";
