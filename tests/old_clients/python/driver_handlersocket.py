"""Drives the unchanged client `handlersocket`: driver_handlersocket.py HOST PORT PORT_WR TABLE.

Its API knows open_index, find and batches; an insert is a find with the operator `+`. It cannot
update or delete: it leaves all of ROWS in the table.
"""
import handlersocket
from handlersocket.client import Client, RemoteError

from checks import expect, expect_error, run

COLUMNS = 'id,name,note,n'
PEOPLE = u'h\xe9\u65e5\u672c\U0001f600'.encode('utf-8')
UMLAUTS = u'\xfcn\xef'.encode('utf-8')
ROWS = [
    ('1', 'alice', None, '10'),
    ('2', 'bob', '', '20'),
    ('3', PEOPLE, UMLAUTS, '30'),
    ('4', 'bytes', 'a\tb\nc\0d\x01e', '40'),
    ('5', 'bob', 'second bob', '50'),
]


def drive(host, port, port_wr, table):
    reader, writer = Client(host, port), Client(host, port_wr)
    read = reader.open_index('test', table, COLUMNS)
    by_name = reader.open_index('test', table, 'id,name', 'name_idx')
    write = writer.open_index('test', table, COLUMNS)

    for row in ROWS:
        expect('insert', writer.find(write, '+', row), [])
    expect_error('duplicate key', RemoteError, '121', writer.find, write, '+', ROWS[0])

    for row in ROWS:
        expect('exact', reader.find(read, '=', (row[0],)), [row])
        expect('exact on the write port', writer.find(write, '=', (int(row[0]),)), [row])
    expect('not found', reader.find(read, '=', (99,)), [])
    expect('range', reader.find(read, '>=', (2,), 10), ROWS[1:])
    expect('limit and offset', reader.find(read, '>', (2,), 2, 1), ROWS[3:])
    expect('descending', reader.find(read, '<=', (3,), 10), ROWS[2::-1])
    expect('no limit is one row', reader.find(read, '>=', (1,)), ROWS[:1])
    expect('secondary index', reader.find(by_name, '=', ('bob',), 10), [('2', 'bob'), ('5', 'bob')])
    expect('secondary index, not found', reader.find(by_name, '=', ('nobody',)), [])

    expect_error('write on the read port', RemoteError, '2: readonly', reader.find, read, '+', ROWS[0])
    expect_error('unknown table', RemoteError, '1: open_table',
                 reader.open_index, 'test', 'no_such_table', 'id')
    expect_error('unknown index', RemoteError, '2: idxnum',
                 reader.open_index, 'test', table, 'id', 'no_such_index')
    expect_error('unknown column', RemoteError, '2: fld',
                 reader.open_index, 'test', table, 'no_such_column')
    expect_error('unknown index id', RemoteError, '2: stmtnum', reader.find, 77, '=', (1,))
    expect('after the errors', reader.find(read, '=', (1,)), ROWS[:1])

    # The last thing this connection does: the client stays in its batch mode.
    reader.start_batch()
    for key in (1, 99, 5):
        reader.find(read, '=', (key,))
    reader.find(by_name, '=', ('alice',), 10)
    expect('batch', reader.execute_batch(),
           ['0\t4\t1\talice\t\0\t10', '0\t4', '0\t4\t5\tbob\tsecond bob\t50', '0\t2\t1\talice'])


run('python_handlersocket', 'handlersocket ' + handlersocket.version, drive)
