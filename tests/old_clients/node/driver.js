// Drives the unchanged client `node-handlersocket`: driver.js HOST PORT PORT_WR TABLE.
'use strict';

const assert = require('assert');
const path = require('path');

// The client is installed below build/old_clients/node, so that this folder stays as it is.
const modules = path.join(process.env.HS_CLIENT_HOME, 'node_modules', 'node-handlersocket');
const hs = require(modules);
const { version } = require(path.join(modules, 'package.json'));

const [host, port, portWr, table] = process.argv.slice(2);
const COLUMNS = ['id', 'name', 'note', 'n'];
const ROWS = [
  ['1', 'alice', null, '10'],
  ['2', 'bob', '', '20'],
  ['3', 'hé日本😀', 'ünï', '30'],
  ['4', 'bytes', 'a\tb\nc\0d\x01e', '40'],
  ['5', 'bob', 'second bob', '50'],
];

const connect = (options) => new Promise((resolve, reject) => {
  const connection = hs.connect(options, () => resolve(connection));
  connection.on('error', reject);
});

// The client's functions take a callback (error, result) last.
const call = (object, method, ...parameters) => new Promise((resolve, reject) => {
  object[method](...parameters, (error, result) => (error ? reject(error) : resolve(result)));
});

const expect = (what, got, wanted) => assert.deepStrictEqual(got, wanted, `${what}: got `
  + `${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);

const expectError = async (what, text, promise) => {
  const answer = await promise.then((result) => JSON.stringify(result), (error) => error.message);
  expect(what, answer, text);
};

async function drive() {
  const reader = await connect({ host, port: Number(port) });
  const writer = await connect({ host, port: Number(portWr) });
  const open = (connection, index, columns, ...rest) => (
    call(connection, 'openIndex', 'test', table, index, columns, ...rest));
  const read = await open(reader, 'PRIMARY', COLUMNS);
  const write = await open(writer, 'PRIMARY', COLUMNS);
  const byName = await open(reader, 'name_idx', ['id', 'name'], ['n']);
  const ids = async (index, ...parameters) => (
    (await call(index, 'find', ...parameters)).map((row) => row[0]));

  for (const row of ROWS) {
    await call(write, 'insert', row);
  }
  await expectError('duplicate key', '1 121', call(write, 'insert', ROWS[0]));

  for (const row of ROWS) {
    expect('exact', await call(read, 'find', '=', [row[0]]), [row]);
    expect('exact on the write port', await call(write, 'find', '=', Number(row[0])), [row]);
  }
  expect('not found', await call(read, 'find', '=', [99]), []);
  expect('range', await ids(read, '>=', [2], { limit: 10 }), ['2', '3', '4', '5']);
  expect('limit and offset', await ids(read, '>', [2], { limit: 2, offset: 1 }), ['4', '5']);
  expect('descending', await ids(read, '<=', [3], { limit: 10 }), ['3', '2', '1']);
  expect('descending with limit', await ids(read, '<', [3], { limit: 1 }), ['2']);
  expect('no limit is one row', await ids(read, '>=', [1]), ['1']);
  expect('secondary index', await call(byName, 'find', '=', ['bob'], { limit: 10 }),
    [['2', 'bob'], ['5', 'bob']]);
  expect('secondary index, not found', await call(byName, 'find', '=', ['nobody']), []);
  expect('secondary index, NULL', await call(byName, 'find', '=', [null], { limit: 10 }), []);

  expect('update', await call(write, 'update', '=', [2], [2, 'robert', null, 21]), 1);
  expect('updated', await call(read, 'find', '=', [2]), [['2', 'robert', null, '21']]);
  expect('update of nothing', await call(write, 'update', '=', [99], [99, 'x', '', 0]), 0);
  expect('update with limit and offset',
    await call(write, 'update', '=', [5], { limit: 3, offset: 0 }, [5, 'bob', '', 51]), 1);
  expect('updated by name', await call(byName, 'find', '=', ['bob'], { limit: 10 }), [['5', 'bob']]);
  expect('updated to the empty string', await call(read, 'find', '=', [5]), [['5', 'bob', '', '51']]);
  expect('delete', await call(write, 'delete', '=', [4]), 1);
  expect('delete of nothing', await call(write, 'delete', '=', [4]), 0);
  expect('deleted', await call(read, 'find', '=', [4]), []);

  await expectError('write on the read port', '2 readonly', call(read, 'insert', ROWS[3]));
  await expectError('unknown table', '1 open_table',
    call(reader, 'openIndex', 'test', 'no_such_table', 'PRIMARY', COLUMNS));
  await expectError('unknown index', '2 idxnum', open(reader, 'no_such_index', COLUMNS));
  await expectError('unknown column', '2 fld', open(reader, 'PRIMARY', ['no_such_column']));

  // Requests without waiting for the answers: the client writes them together.
  const together = await Promise.all([1, 99, 3, 5].map((id) => call(read, 'find', '=', [id])));
  expect('pipeline', together, [[ROWS[0]], [], [ROWS[2]], [['5', 'bob', '', '51']]]);

  if (process.env.HS_EXTENDED) {
    await extended(open, writer, read, write, byName);
  }
  const closed = [reader, writer].map((connection) => (
    new Promise((resolve) => connection.on('close', resolve))));
  reader.close();
  writer.close();
  await Promise.all(closed);
}

async function extended(open, writer, read, write, byName) {
  expect('IN', await call(read, 'find', '=', [hs.in(1, 99, 3)], { limit: 10 }), [ROWS[0], ROWS[2]]);
  const filtered = (...filters) => call(byName, 'find', '>=', [''], { limit: 10, filters });
  expect('filter', await filtered(hs.filter('n', '>', 20), hs.filter('n', '<', 51)),
    [['2', 'robert'], ['3', ROWS[2][1]]].sort((a, b) => (a[1] < b[1] ? -1 : 1)));
  expect('while', await filtered(hs.while('n', '<', 20)), [['1', 'alice']]);
  expect('update, old row', await call(write, 'updateAndGet', '=', [1], [1, 'alice', 'x', 11]), [ROWS[0]]);
  const counter = await open(writer, 'PRIMARY', ['n']);
  expect('increment', await call(counter, 'increment', '=', [1], [5]), 1);
  expect('decrement', await call(counter, 'decrement', '=', [1], [2]), 1);
  expect('increment, old row', await call(counter, 'incrementAndGet', '=', [1], [1]), [['14']]);
  expect('decrement, old row', await call(counter, 'decrementAndGet', '=', [1], [1]), [['15']]);
  expect('put back', await call(write, 'update', '=', [1], ROWS[0]), 1);
  await call(write, 'insert', [9, 'gone', '', 0]);
  expect('delete, old row', await call(write, 'deleteAndGet', '=', [9]), [['9', 'gone', '', '0']]);
}

const giveUp = setTimeout(() => {
  console.log('no answer within 60 seconds');
  process.exit(1);
}, 60000);

drive().then(() => {
  clearTimeout(giveUp);
  console.log(`ok node node-handlersocket ${version}`);
}, (error) => {
  console.log(error.code === 'ERR_ASSERTION' ? error.message : error.stack);
  process.exit(1);
});
