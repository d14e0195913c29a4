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

// An AccessDeniedError is a ServerError: the account has no privilege for this.
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
