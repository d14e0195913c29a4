"""Drives the unchanged client `python-handler-socket` (module pyhs): driver.py HOST PORT PORT_WR TABLE."""
import os

import pyhs
from pyhs import Manager
from pyhs.exceptions import OperationalError
from pyhs.sockets import ReadSocket

from checks import expect, expect_error, run

COLUMNS = ['id', 'name', 'note', 'n']
# The client sends and returns bytes: text is encoded by its user.
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
    client = Manager([('inet', host, port)], [('inet', host, port_wr)])

    def find(operation, key, columns=COLUMNS, index=None, **options):
        rows = client.find('test', table, operation, columns, [key], index, **options)
        return [tuple(value for _, value in row) for row in rows]

    def ids(*arguments, **options):
        return [row[0] for row in find(*arguments, **options)]

    for row in ROWS:
        expect('insert', client.insert('test', table, zip(COLUMNS, row)), True)
    expect_error('duplicate key', OperationalError, '121',
                 client.insert, 'test', table, zip(COLUMNS, ROWS[0]))

    for row in ROWS:
        expect('exact', find('=', row[0]), [row])
    expect('get', client.get('test', table, COLUMNS, '1'), list(zip(COLUMNS, ROWS[0])))
    expect('one column', find('=', '3', ['name']), [(PEOPLE,)])
    expect('not found', find('=', '99'), [])
    expect('range', ids('>=', '2', limit=10), ['2', '3', '4', '5'])
    expect('limit and offset', ids('>', '2', limit=2, offset=1), ['4', '5'])
    expect('descending', ids('<=', '3', limit=10), ['3', '2', '1'])
    expect('descending with limit', ids('<', '3', limit=1), ['2'])
    expect('no limit is one row', ids('>=', '1'), ['1'])
    expect('secondary index', find('=', 'bob', ['name', 'id'], 'name_idx', limit=10),
           [('bob', '2'), ('bob', '5')])
    expect('secondary index, not found', find('=', 'nobody', ['name', 'id'], 'name_idx'), [])

    update, delete = client.update, client.delete
    expect('update', update('test', table, '=', COLUMNS, ['2'], ['2', 'robert', None, '21']), 1)
    expect('updated', find('=', '2'), [('2', 'robert', None, '21')])
    expect('update of nothing', update('test', table, '=', COLUMNS, ['99'], ['99', 'x', '', '0']), 0)
    expect('update to the empty string', update('test', table, '=', COLUMNS, ['5'],
                                                ['5', 'bob', '', '51']), 1)
    expect('updated by name', find('=', 'bob', ['name', 'note'], 'name_idx', limit=10), [('bob', '')])
    expect('delete', delete('test', table, '=', COLUMNS, ['4']), 1)
    expect('delete of nothing', delete('test', table, '=', COLUMNS, ['4']), 0)
    expect('deleted', find('=', '4'), [])

    expect_error('unknown table', OperationalError, 'open_table',
                 client.insert, 'test', 'no_such_table', [('id', '1')])
    expect_error('unknown index', OperationalError, 'idxnum', find, '=', '1', COLUMNS, 'no_such_index')
    expect_error('unknown column', OperationalError, 'fld', find, '=', '1', ['no_such_column'])

    reader = ReadSocket([('inet', host, port)])
    index = reader.get_index_id('test', table, COLUMNS)
    expect('low level', [tuple(row) for row in reader.find(index, '>=', ['1'], 2)],
           [ROWS[0], ('2', 'robert', None, '21')])
    expect('after the errors', ids('>=', '1', limit=10), ['1', '2', '3', '5'])

    if os.environ.get('HS_EXTENDED'):
        extended(client, table, find)
    client.purge()


def extended(client, table, find):
    old = client.update('test', table, '=', COLUMNS, ['1'], ['1', 'alice', 'x', '11'],
                        return_original=True)
    expect('update, old row', [[value for _, value in row] for row in old], [list(ROWS[0])])
    expect('increment', client.incr('test', table, '=', ['n'], ['1'], ['5']), 1)
    expect('decrement', client.decr('test', table, '=', ['n'], ['1'], ['2']), 1)
    expect('counted', find('=', '1'), [('1', 'alice', 'x', '14')])
    old = client.incr('test', table, '=', ['n'], ['1'], ['1'], return_original=True)
    expect('increment, old row', [[value for _, value in row] for row in old], [['14']])
    expect('put back', client.update('test', table, '=', COLUMNS, ['1'], list(ROWS[0])), 1)


run('python', 'python-handler-socket ' + pyhs.__version__, drive)
