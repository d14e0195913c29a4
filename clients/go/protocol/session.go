package protocol

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// An Open names what an index id stands for.
type Open struct {
	Database, Table string
	// Index is its name; empty is PRIMARY.
	Index string
	// Columns are those that finds return and changes set. FilterColumns are those that filters compare.
	Columns, FilterColumns []string
}

// Append appends what stands behind the id, without the end of the line.
func (o *Open) Append(dst []byte) ([]byte, error) {
	if o.Database == "" || o.Table == "" {
		return dst, valueError("a table has a name and a database")
	}
	for i, name := range [...]string{o.Database, o.Table, o.Index} {
		if err := checkName(name); err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = append(dst, name...)
	}
	dst, err := appendColumns(append(dst, '\t'), o.Columns)
	if err != nil || len(o.FilterColumns) == 0 {
		return dst, err
	}
	return appendColumns(append(dst, '\t'), o.FilterColumns)
}

func appendColumns(dst []byte, names []string) ([]byte, error) {
	for i, name := range names {
		if err := checkName(name); err != nil {
			return dst, err
		}
		if name == "" || strings.Contains(name, ",") {
			return dst, valueError("%q is no name of a column here", name)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, name...)
	}
	return dst, nil
}

// What would need an escape is no name. In P it would not even be read.
func checkName(name string) error {
	for i := 0; i < len(name); i++ {
		if name[i] < firstFree {
			return valueError("%q has a control character", name)
		}
	}
	return nil
}

// AppendOpen appends the line that opens an index.
func AppendOpen(dst []byte, id int, open *Open) ([]byte, error) {
	dst, err := AppendNumber(append(dst, "P\t"...), id)
	if err != nil {
		return dst, err
	}
	if dst, err = open.Append(append(dst, '\t')); err != nil {
		return dst, err
	}
	return append(dst, '\n'), nil
}

// A Body is a request behind an index id: *Find or *Insert.
type Body interface {
	Append(dst []byte) ([]byte, error)
}

// AppendRequest appends the line of a request.
func AppendRequest(dst []byte, id int, body Body) ([]byte, error) {
	dst, err := AppendNumber(dst, id)
	if err != nil {
		return dst, err
	}
	if dst, err = body.Append(append(dst, '\t')); err != nil {
		return dst, err
	}
	return append(dst, '\n'), nil
}

// AppendBegin appends the line that begins a transaction. The isolation is RU, RC, RR, SR or empty.
func AppendBegin(dst []byte, isolation string, readOnly bool) ([]byte, error) {
	if !oneOf(isolation, "", "RU", "RC", "RR", "SR") {
		return dst, valueError("%q is no isolation level: RU, RC, RR or SR", isolation)
	}
	dst = append(dst, "T\tB"...)
	if isolation != "" {
		dst = append(append(dst, '\t'), isolation...)
	}
	if readOnly {
		dst = append(dst, "\tRO"...)
	}
	return append(dst, '\n'), nil
}

// AppendCommit appends the line that commits a transaction.
func AppendCommit(dst []byte) []byte { return append(dst, "T\tC\n"...) }

// AppendRollback appends the line that rolls a transaction back.
func AppendRollback(dst []byte) []byte { return append(dst, "T\tR\n"...) }

// AppendSavepoint appends the line that sets a savepoint; its name has 1 to 256 bytes.
func AppendSavepoint(dst []byte, name string) ([]byte, error) {
	return appendSavepoint(append(dst, "T\tS\t"...), name)
}

// AppendRollbackTo appends the line that undoes what was done since a savepoint.
func AppendRollbackTo(dst []byte, name string) ([]byte, error) {
	return appendSavepoint(append(dst, "T\tU\t"...), name)
}

func appendSavepoint(dst []byte, name string) ([]byte, error) {
	if name == "" || len(name) > 256 {
		return dst, valueError("the name of a savepoint has 1 to 256 bytes")
	}
	return append(appendText(dst, name), '\n'), nil
}

// AppendLastGTID appends the line that asks for the GTID of the connection's last change.
func AppendLastGTID(dst []byte) []byte { return append(dst, "G\tL\n"...) }

// AppendWaitGTID appends the line that waits for GTIDs, for 0 to 600000 milliseconds.
func AppendWaitGTID(dst []byte, gtid string, milliseconds int) ([]byte, error) {
	if milliseconds < 0 || milliseconds > 600000 {
		return dst, valueError("%d is no number of milliseconds from 0 to 600000", milliseconds)
	}
	if err := checkName(gtid); err != nil {
		return dst, err
	}
	dst = append(append(append(dst, "G\tW\t"...), gtid...), '\t')
	return append(strconv.AppendInt(dst, int64(milliseconds), 10), '\n'), nil
}

// AppendHello appends the line that asks for the server's features.
func AppendHello(dst []byte, version int, client string) ([]byte, error) {
	dst, err := AppendNumber(append(dst, "H\t"...), version)
	if err != nil {
		return dst, err
	}
	if client != "" {
		if err = checkName(client); err != nil {
			return dst, err
		}
		dst = append(append(dst, '\t'), client...)
	}
	return append(dst, '\n'), nil
}

// AppendDescribe appends the line that asks what there is: databases, the tables of one, or the
// columns or indexes of a table.
func AppendDescribe(dst []byte, database, table string, indexes bool) ([]byte, error) {
	if database == "" && table != "" || table == "" && indexes {
		return dst, valueError("indexes belong to a table, and a table to a database")
	}
	dst = append(dst, 'D')
	for _, name := range [...]string{database, table} {
		if name != "" {
			dst = appendText(append(dst, '\t'), name)
		}
	}
	if indexes {
		dst = append(dst, "\tI"...)
	}
	return append(dst, '\n'), nil
}

// AppendSecret appends the line that shows the secret of a port.
func AppendSecret(dst []byte, secret string) []byte {
	return append(appendText(append(dst, "A\t1\t"...), secret), '\n')
}

// AppendLogin appends the line that asks for a challenge to an account.
func AppendLogin(dst []byte, user string, methods ...string) []byte {
	dst = appendText(append(dst, "A\t2\t"...), user)
	if len(methods) > 0 {
		dst = append(append(dst, '\t'), strings.Join(methods, ",")...)
	}
	return append(dst, '\n')
}

// AppendAnswer appends the line that answers a challenge.
func AppendAnswer(dst, response []byte) []byte {
	dst = append(dst, "A\t3\t"...)
	return append(append(dst, hex.EncodeToString(response)...), '\n')
}

// AppendPassword appends the line that sends the password itself: over TLS or a Unix socket only.
func AppendPassword(dst []byte, user, password string) []byte {
	dst = appendText(append(dst, "A\t4\t"...), user)
	return append(appendText(append(dst, '\t'), password), '\n')
}
