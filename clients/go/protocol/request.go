package protocol

import (
	"math"
	"strconv"
	"strings"
)

// In is a list of key values that take the place of one part of the key, one after the other.
type In struct {
	// Part counts the key parts from 0.
	Part int
	// Values is the list, of one value at least.
	Values []any
	// All finds all rows of each value (&), and not only the first one (@).
	All bool
}

// A Filter compares a filter column of the opened index with a value.
type Filter struct {
	// Kind is "F", which skips a row, or "W", which ends the search.
	Kind string
	// Op is = != > >= < or <=.
	Op string
	// Column counts the filter columns from 0.
	Column int
	// Value is what the column is compared with.
	Value any
}

// A Find is a find, a count or a change of what was found.
type Find struct {
	// Op is = =< > >= < or <=.
	Op string
	// Key has a value for each key part, or for the first ones.
	Key []any
	// Limit and Offset are 0 to 4294967295.
	Limit, Offset int
	// In may be nil.
	In *In
	// Filters must all hold.
	Filters []Filter
	// Verb is empty for a find, C for a count, or U, D, + or -, with ? or ! for rows.
	Verb string
	// Values are those of a change, one for each opened column.
	Values []any
}

// Append appends the request without the index id and without the end of the line.
func (f *Find) Append(dst []byte) ([]byte, error) {
	if f.Op != "=" && !oneOf(f.Op, "=<", ">", ">=", "<", "<=") { // As most are: a list costs more than the rest.
		return dst, valueError("%q is no operator of a find", f.Op)
	}
	if f.Verb != "" && !oneOf(f.Verb, "C", "U", "D", "+", "-", "U?", "D?", "+?", "-?", "U!", "+!", "-!") {
		return dst, valueError("%q is no change", f.Verb)
	}
	if len(f.Key) == 0 {
		return dst, valueError("a key has one value at least")
	}
	dst = append(dst, f.Op...)
	dst, err := appendList(append(dst, '\t'), f.Key)
	if err != nil {
		return dst, err
	}
	plain := f.In == nil && len(f.Filters) == 0 && f.Verb == ""
	if !plain || f.Offset != 0 || f.Limit != 1 {
		if dst, err = AppendNumber(append(dst, '\t'), f.Limit); err != nil {
			return dst, err
		}
	}
	if !plain || f.Offset != 0 {
		if dst, err = AppendNumber(append(dst, '\t'), f.Offset); err != nil {
			return dst, err
		}
	}
	if plain {
		return dst, nil
	}
	return f.appendRest(dst)
}

func (f *Find) appendRest(dst []byte) ([]byte, error) {
	var err error
	if f.In != nil {
		if dst, err = f.In.append(dst, len(f.Key)); err != nil {
			return dst, err
		}
	}
	for i := range f.Filters {
		if dst, err = f.Filters[i].append(dst); err != nil {
			return dst, err
		}
	}
	if f.Verb == "" {
		return dst, nil
	}
	dst = append(append(dst, '\t'), f.Verb...)
	if len(f.Values) > 0 && (f.Verb[0] == 'C' || f.Verb[0] == 'D') {
		return dst, valueError("%s takes no values", f.Verb)
	}
	for _, value := range f.Values {
		if dst, err = AppendArgument(append(dst, '\t'), value); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (in *In) append(dst []byte, parts int) ([]byte, error) {
	if in.Part < 0 || in.Part >= parts {
		return dst, valueError("the key has no part %d", in.Part)
	}
	if len(in.Values) == 0 {
		return dst, valueError("a list of values for a key has one value at least")
	}
	if in.All {
		dst = append(dst, "\t&\t"...)
	} else {
		dst = append(dst, "\t@\t"...)
	}
	dst = strconv.AppendInt(dst, int64(in.Part), 10)
	return appendList(append(dst, '\t'), in.Values)
}

func (f *Filter) append(dst []byte) ([]byte, error) {
	if !oneOf(f.Kind, "F", "W") {
		return dst, valueError("%q is no kind of a filter", f.Kind)
	}
	if !oneOf(f.Op, "=", "!=", ">", ">=", "<", "<=") {
		return dst, valueError("%q is no operator of a filter", f.Op)
	}
	dst = append(append(dst, '\t'), f.Kind...)
	dst = append(append(dst, '\t'), f.Op...)
	dst, err := AppendNumber(append(dst, '\t'), f.Column)
	if err != nil {
		return dst, err
	}
	return AppendArgument(append(dst, '\t'), f.Value)
}

// An Insert adds a row, or does what its verb says when it is there already.
type Insert struct {
	// Verb is +, +I, +U or +R, with ! for the row afterwards, or ? for the rows before.
	Verb string
	// Values are those of the first opened columns.
	Values []any
	// Update has what +U sets the first opened columns to; nil is the same as Values.
	Update []any
}

// Append appends the request without the index id and without the end of the line.
func (i *Insert) Append(dst []byte) ([]byte, error) {
	if !oneOf(i.Verb, "+", "+I", "+U", "+R", "+!", "+I!", "+U!", "+R!", "+I?", "+U?", "+R?") {
		return dst, valueError("%q is no kind of an insert", i.Verb)
	}
	dst = append(dst, i.Verb...)
	dst, err := appendList(append(dst, '\t'), i.Values)
	if err != nil || i.Update == nil {
		return dst, err
	}
	if !strings.HasPrefix(i.Verb, "+U") {
		return dst, valueError("%s takes no values for an update", i.Verb)
	}
	return appendList(append(dst, '\t'), i.Update)
}

// AppendNumber appends an index id, a limit, an offset: 0 to 4294967295.
func AppendNumber(dst []byte, number int) ([]byte, error) {
	if number < 0 || int64(number) > math.MaxUint32 {
		return dst, valueError("%d is no number from 0 to 4294967295", number)
	}
	return strconv.AppendInt(dst, int64(number), 10), nil
}

func appendList(dst []byte, values []any) ([]byte, error) {
	dst = strconv.AppendInt(dst, int64(len(values)), 10)
	var err error
	for _, value := range values {
		if dst, err = AppendArgument(append(dst, '\t'), value); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func oneOf(text string, allowed ...string) bool {
	for _, candidate := range allowed {
		if text == candidate {
			return true
		}
	}
	return false
}
