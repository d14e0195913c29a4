package hs

// A DuplicateKeyError is a ServerError: a row with this key, in the primary or a unique index, is there already.
type DuplicateKeyError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *DuplicateKeyError) Unwrap() error { return &e.ServerError }

// A LockTimeoutError is a ServerError: a lock could not be had in time. Try again.
type LockTimeoutError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *LockTimeoutError) Unwrap() error { return &e.ServerError }

// A DeadlockError is a ServerError: a deadlock; a transaction is lost. Try again.
type DeadlockError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *DeadlockError) Unwrap() error { return &e.ServerError }

// A TransactionLostError is a ServerError: the server has rolled the transaction back. Begin it again.
type TransactionLostError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *TransactionLostError) Unwrap() error { return &e.ServerError }

// A ForeignKeyError is a ServerError: a foreign key forbids the change.
type ForeignKeyError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *ForeignKeyError) Unwrap() error { return &e.ServerError }

// A ConstraintError is a ServerError: a value that its column does not take.
type ConstraintError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *ConstraintError) Unwrap() error { return &e.ServerError }

// A NotFoundError is a ServerError: there is no such table, index or column.
type NotFoundError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *NotFoundError) Unwrap() error { return &e.ServerError }

// A ReadOnlyError is a ServerError: a change where only reads are taken.
type ReadOnlyError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *ReadOnlyError) Unwrap() error { return &e.ServerError }

// An AuthenticationError is a ServerError: the login or the secret was refused, or there was none.
type AuthenticationError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *AuthenticationError) Unwrap() error { return &e.ServerError }

// An AccessDeniedError is a ServerError: the account has no privilege for this, or has reached a limit of its own.
type AccessDeniedError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *AccessDeniedError) Unwrap() error { return &e.ServerError }

// An OverloadedError is a ServerError: the server has as much to do as it may have. Try again later.
type OverloadedError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *OverloadedError) Unwrap() error { return &e.ServerError }

// An UnavailableError is a ServerError: the server is shutting down.
type UnavailableError struct{ ServerError }

// Unwrap returns the ServerError.
func (e *UnavailableError) Unwrap() error { return &e.ServerError }

// The class of a text, up to its first blank.
var classes = map[string]func(ServerError) error{
	"121":                duplicateKeyError,
	"146":                lockTimeoutError,
	"lock_tables":        lockTimeoutError,
	"149":                deadlockError,
	"transaction_lost":   transactionLostError,
	"123":                transactionLostError,
	"151":                foreignKeyError,
	"152":                foreignKeyError,
	"sql_1048":           constraintError,
	"sql_1264":           constraintError,
	"sql_1265":           constraintError,
	"sql_1292":           constraintError,
	"sql_1364":           constraintError,
	"sql_1366":           constraintError,
	"sql_1406":           constraintError,
	"sql_4025":           constraintError,
	"open_table":         notFoundError,
	"idxnum":             notFoundError,
	"fld":                notFoundError,
	"readonly":           readOnlyError,
	"unauth":             authenticationError,
	"authtype":           authenticationError,
	"insecure_transport": authenticationError,
	"access_denied":      accessDeniedError,
	"too_many_":          overloadedError,
	"max_memory":         overloadedError,
	"shutdown":           unavailableError,
}

// Hints say what the server's word means, which is short.
var hints = map[string]string{
	"121":              "a row with this key is there already",
	"123":              "another session has changed the row meanwhile; try again",
	"146":              "another session held the row for too long; try again",
	"149":              "a deadlock; try again",
	"151":              "the row that a foreign key refers to is not there",
	"152":              "another row refers to this one by a foreign key",
	"lock_tables":      "another session held the table for too long, or the server is read-only",
	"transaction_lost": "the server has rolled the transaction back; begin it again",
	"open_table":       "there is no such table, or it cannot be served",
	"idxnum":           "the table has no such index, or it cannot be searched",
	"fld":              "the table has no such column",
	"readonly":         "changes are not taken here, but on the write port, and in transactions that may write",
	"unauth": "the port asks for an account or a secret, or the one that was given is refused; " +
		"accounts of MySQL need tls=verify or a Unix socket",
	"authtype":              "the port does not take this kind of login",
	"insecure_transport":    "the server takes connections with TLS only",
	"access_denied":         "the account has no privilege for this",
	"access_denied 1226":    "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later",
	"max_memory":            "the server has reached handlersocket_max_memory; try again later",
	"shutdown":              "the server is shutting down",
	"too_many_indexes":      "the connection has as many open indexes as it may have",
	"too_many_connections":  "the server has reached handlersocket_max_connections",
	"too_many_rows":         "one request may not change or give so many rows; use a smaller limit",
	"too_many_keys":         "the list is longer than handlersocket_max_in_keys",
	"too_many_columns":      "the list is longer than handlersocket_max_columns",
	"too_many_logins":       "as many logins wait as the server lets wait; try again later",
	"too_many_waits":        "as many connections wait for a GTID as the server lets wait; try again later",
	"too_many_transactions": "the server has reached handlersocket_max_transactions; try again later",
	"cmd":                   "the server does not know this request: it is no HandlerSocket 2, or an old one",
	"op":                    "the index does not take this operator",
	"kpnum":                 "the key has more values than the index has columns",
	"fldnum":                "there are more values than columns",
	"filterblob":            "TEXT and BLOB columns can only be compared with NULL",
	"notimpl":               "this server does not serve this request",
	"number":                "an amount, a limit or an offset is no integer, or out of its range",
	"request_too_long":      "the request is longer than handlersocket_max_request_size",
	"reply_too_long":        "the reply is longer than handlersocket_max_reply_size; ask for fewer rows",
	"unsupported_table":     "the table has a feature that is not served on this port; use SQL",
	"interrupted":           "the request was killed, and nothing of it was done",
	"gtid":                  "this is no list of GTIDs",
	"no_binary_log":         "the server writes no binary log, so changes have no GTID",
	"in_transaction":        "this is not taken within a transaction",
	"no_transaction":        "the connection is in no transaction",
	"not_a_number":          "the value of the column is no number that can be counted",
}

func duplicateKeyError(e ServerError) error    { return &DuplicateKeyError{e} }
func lockTimeoutError(e ServerError) error     { return &LockTimeoutError{e} }
func deadlockError(e ServerError) error        { return &DeadlockError{e} }
func transactionLostError(e ServerError) error { return &TransactionLostError{e} }
func foreignKeyError(e ServerError) error      { return &ForeignKeyError{e} }
func constraintError(e ServerError) error      { return &ConstraintError{e} }
func notFoundError(e ServerError) error        { return &NotFoundError{e} }
func readOnlyError(e ServerError) error        { return &ReadOnlyError{e} }
func authenticationError(e ServerError) error  { return &AuthenticationError{e} }
func accessDeniedError(e ServerError) error    { return &AccessDeniedError{e} }
func overloadedError(e ServerError) error      { return &OverloadedError{e} }
func unavailableError(e ServerError) error     { return &UnavailableError{e} }
