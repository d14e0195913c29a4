package hs

import (
	"context"
	"regexp"
	"strings"
	"sync/atomic"

	"handlersocket2.org/client/v2/protocol"
)

// A Row is a row by the names of its columns. See the package's page for the types of the values.
type Row = map[string]any

// A Key is the values for an index of several columns, or for its first ones. A key of one value may be
// given as it is.
type Key []any

// A Table is a table, some of its columns and one of its indexes. It is cheap, safe for goroutines, and
// does not change.
type Table struct {
	on      executor
	name    tableName
	index   string
	columns []string // Nil: all.
	raw     bool
	err     error // Of the name; each call returns it.
	known   *known
}

type tableName struct{ database, name string }

// String is what a hook is told: database.table, a database alone, or nothing.
func (t tableName) String() string {
	if t.name == "" {
		return t.database
	}
	return t.database + "." + t.name
}

// What a table object has made for calls before, as most calls are for the same columns.
type known struct {
	spec  atomic.Pointer[knownSpec]
	shape atomic.Pointer[shape]
}

type knownSpec struct {
	columns []string
	text    string
	oneRow  replyCheck
}

// A TableOption says what of a table is meant.
type TableOption func(*Table)

// Columns are those that reads give. Without it they give all.
func Columns(names ...string) TableOption {
	return func(t *Table) { t.columns = append([]string{}, names...) }
}

// Index is the index that keys are of. Without it, it is PRIMARY.
func Index(name string) TableOption { return func(t *Table) { t.index = name } }

// Raw makes rows give bytes as they came.
func Raw() TableOption { return func(t *Table) { t.raw = true } }

// Table returns a table by its name: database.table, or table when the client has a database. A wrong
// name is the error of each call.
func (c *Client) Table(name string, options ...TableOption) *Table {
	t := &Table{on: c, index: "PRIMARY", known: &known{}}
	t.name, t.err = c.splitName(name)
	for _, set := range options {
		set(t)
	}
	if t.err == nil && t.columns != nil && len(t.columns) == 0 {
		t.err = &ValueError{What: "a table needs a column"}
	}
	if t.err == nil {
		_, t.err = t.spec(t.columns, nil)
	}
	return t
}

const (
	quotedName = "`(?:[^`]|``)+`"
	anyName    = "(" + quotedName + "|[^.`][^.]*)"
)

var fullName = regexp.MustCompile("(?s)^(?:" + anyName + "\\.(" + quotedName + "|[^`].*)|" + anyName + ")$")

func unquoted(name string) string {
	if strings.HasPrefix(name, "`") {
		return strings.ReplaceAll(name[1:len(name)-1], "``", "`")
	}
	return name
}

// A part of the name may stand in backquotes, as in SQL.
func (c *Client) splitName(full string) (tableName, error) {
	database, name := "", ""
	if parts := fullName.FindStringSubmatch(full); parts != nil {
		database, name = unquoted(parts[1]), unquoted(parts[2]+parts[3])
	}
	if database == "" {
		database = c.options.Database
	}
	if database == "" || name == "" {
		return tableName{}, &ValueError{What: "a table has a name and a database: database.table"}
	}
	return tableName{database, name}, nil
}

// On returns the same table inside of a transaction.
func (t *Table) On(tx *Tx) *Table {
	inside := *t
	inside.on = tx
	return &inside
}

func keyValues(key any) []any {
	if values, ok := several(key); ok {
		return values
	}
	return []any{key}
}

// Several returns the values of a key that has a list of them.
func several(key any) ([]any, bool) {
	switch values := key.(type) {
	case Key:
		return values, true
	case []any:
		return values, true
	}
	return nil, false
}

// KeyValues needs no memory for the list of one value.
func (r *request) keyValues(key any) []any {
	if values, ok := several(key); ok {
		return values
	}
	r.one[0] = key
	return r.one[:]
}

// A query is what the options of a call add to its key.
type query struct {
	op            string
	limit, offset int
	filters       []filter
	in            *inList
}

type filter struct {
	kind, column, op string
	value            any
}

type inList struct {
	column string
	values []any
	all    bool
}

// An Option adds to a call.
type Option func(*query)

// Limit bounds the rows; without it there is one, or for Count no bound.
func Limit(rows int) Option { return func(q *query) { q.limit = rows } }

// Offset skips rows first.
func Offset(rows int) Option { return func(q *query) { q.offset = rows } }

// Where skips rows for which the comparison does not hold: = != > >= < <=. A nil is NULL.
func Where(column, op string, value any) Option {
	return func(q *query) { q.filters = append(q.filters, filter{"F", column, op, value}) }
}

// While ends the search at the first row for which the comparison does not hold.
func While(column, op string, value any) Option {
	return func(q *query) { q.filters = append(q.filters, filter{"W", column, op, value}) }
}

// In finds one row for each of the values, which take the place of that column's value in the key.
func In(column string, values ...any) Option {
	return func(q *query) { q.in = &inList{column: column, values: values} }
}

// Op is the operator of an update, a delete or an increment; without it, it is =.
func Op(op string) Option { return func(q *query) { q.op = op } }

// The query of a get. Nobody changes it.
var byKey = newQuery("=", 1, nil)

func newQuery(op string, limit int, options []Option) *query {
	q := &query{op: op, limit: limit}
	for _, set := range options {
		set(q)
	}
	return q
}

// Request fills the request of a find, a count or a change in.
func (t *Table) request(
	ctx context.Context, r *request, kind string, q *query, key any, find *protocol.Find, columns []string,
) error {
	if t.err != nil {
		return t.err
	}
	find.Key = r.keyValues(key)
	var filterColumns []string
	find.Op, find.Limit, find.Offset = q.op, q.limit, q.offset
	for _, f := range q.filters {
		place := position(filterColumns, f.column)
		if place < 0 {
			place = len(filterColumns)
			filterColumns = append(filterColumns, f.column)
		}
		find.Filters = append(find.Filters, protocol.Filter{
			Kind: f.kind, Op: f.op, Column: place, Value: f.value,
		})
	}
	needs := needsOfVerb(find.Verb)
	if q.op == "=<" {
		needs = "descending"
	}
	if q.in != nil {
		part, err := t.part(ctx, q.in.column)
		if err != nil {
			return err
		}
		find.In = &protocol.In{Part: part, Values: q.in.values, All: q.in.all}
		if q.in.all {
			needs = "all"
		}
	}
	change := find.Verb != "" && find.Verb != "C"
	limit := q.limit
	if q.in != nil {
		limit = 0 // It is for each value.
	}
	r.kind, r.table, r.needs, r.change = kind, t.name, needs, change
	var err error
	if change || len(filterColumns) > 0 {
		r.spec, err = t.spec(columns, filterColumns)
		r.check = checkOfFind(find.Verb, len(columns), limit)
	} else {
		r.spec, r.check, err = t.ofFind(columns, find.Verb, limit)
	}
	if err != nil {
		return err
	}
	r.body, err = find.Append(r.room[:0])
	return err
}

// OfFind returns what P says behind the id for a find or a count of these columns, which stay as they are, and
// what its reply must be.
func (t *Table) ofFind(columns []string, verb string, limit int) (string, replyCheck, error) {
	last := t.known.spec.Load()
	if last == nil || !same(last.columns, columns) {
		text, err := t.spec(columns, nil)
		if err != nil {
			return "", nil, err
		}
		last = &knownSpec{columns, text, checkOfFind("", len(columns), 1)}
		t.known.spec.Store(last)
	}
	if verb == "" && limit == 1 {
		return last.text, last.oneRow, nil
	}
	return last.text, checkOfFind(verb, len(columns), limit), nil
}

// Spec returns what P says behind the id.
func (t *Table) spec(columns, filterColumns []string) (string, error) {
	open := protocol.Open{
		Database: t.name.database, Table: t.name.name, Index: t.index, Columns: columns, FilterColumns: filterColumns,
	}
	text, err := open.Append(make([]byte, 0, 128))
	return string(text), err
}

// Same tells whether two slices are one.
func same(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func needsOfVerb(verb string) string {
	switch {
	case verb == "C":
		return "count"
	case strings.ContainsAny(verb, "IR") || strings.HasPrefix(verb, "+U"):
		return "upsert"
	case strings.HasSuffix(verb, "!"):
		return "returning"
	}
	return ""
}

func position(names []string, wanted string) int {
	for i, name := range names {
		if name == wanted {
			return i
		}
	}
	return -1
}

// IndexColumns returns the columns of the table's index.
func (t *Table) indexColumns(ctx context.Context) ([]IndexInfo, error) {
	all, err := run(ctx, t.on, describe(t.name, true, indexInfo))
	if err != nil {
		return nil, err
	}
	own := t.ownIndex(all)
	if len(own) == 0 {
		return nil, newServerError(2, "idxnum")
	}
	return own, nil
}

func (t *Table) ownIndex(all []IndexInfo) []IndexInfo {
	var own []IndexInfo
	for _, column := range all {
		if column.Index == t.index || t.index == "" && column.Index == "PRIMARY" {
			own = append(own, column)
		}
	}
	return own
}

func (t *Table) part(ctx context.Context, column string) (int, error) {
	columns, err := t.indexColumns(ctx)
	if err != nil {
		return 0, err
	}
	for i, candidate := range columns {
		if candidate.Column == column {
			return i, nil
		}
	}
	return 0, &ValueError{What: "the index has no column " + column}
}
