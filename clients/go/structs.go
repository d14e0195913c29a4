package hs

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fields are those of a struct with a tag hs:"column".
type fields struct {
	names   []string
	indexes [][]int
	omit    []bool
}

var knownFields sync.Map // By reflect.Type: *fields.

func fieldsOf[T any]() *fields {
	return fieldsOfType(reflect.TypeOf((*T)(nil)).Elem())
}

func fieldsOfType(of reflect.Type) *fields {
	if of.Kind() != reflect.Struct {
		return nil
	}
	if known, ok := knownFields.Load(of); ok {
		return known.(*fields)
	}
	found := &fields{}
	for _, field := range reflect.VisibleFields(of) {
		name, option, _ := strings.Cut(field.Tag.Get("hs"), ",")
		if name == "" || !field.IsExported() {
			continue
		}
		found.names = append(found.names, name)
		found.indexes = append(found.indexes, field.Index)
		found.omit = append(found.omit, option == "omitempty")
	}
	knownFields.Store(of, found)
	return found
}

// Places returns the field of each column, or nil for one that the struct has not.
func (f *fields) places(columns []string) [][]int {
	places := make([][]int, len(columns))
	for i, column := range columns {
		if place := position(f.names, column); place >= 0 {
			places[i] = f.indexes[place]
		}
	}
	return places
}

func fillStruct(row any, places [][]int, names []string, values [][]byte) error {
	target := reflect.ValueOf(row).Elem()
	for i, place := range places {
		if place == nil {
			continue
		}
		field, err := target.FieldByIndexErr(place)
		if err == nil {
			err = setField(field, values[i])
		}
		if err != nil {
			return columnError(names[i], values[i], err)
		}
	}
	return nil
}

func columnError(column string, value []byte, err error) error {
	return &ValueError{What: fmt.Sprintf("column %s has %.40q: %v", column, value, err)}
}

var stringType = reflect.TypeOf("")
var timeType = reflect.TypeOf(time.Time{})
var durationType = reflect.TypeOf(time.Duration(0))

func setField(field reflect.Value, value []byte) error {
	if field.Type() == stringType && value != nil { // What most are.
		field.SetString(string(value))
		return nil
	}
	switch into := field.Addr().Interface().(type) {
	case *sql.NullTime:
		into.Valid = value != nil
		return setField(reflect.ValueOf(&into.Time).Elem(), orZeroTime(value))
	case sql.Scanner:
		if value == nil {
			return into.Scan(nil)
		}
		return into.Scan(string(value))
	}
	if value == nil {
		switch field.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Slice:
			field.Set(reflect.Zero(field.Type()))
			return nil
		}
		return errors.New("it is NULL, and the field is no pointer")
	}
	switch {
	case field.Kind() == reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		return setField(field.Elem(), value)
	case field.Type() == timeType:
		parsed, err := parseTime(string(value))
		field.Set(reflect.ValueOf(parsed))
		return err
	case field.Type() == durationType:
		parsed, err := parseDuration(string(value))
		field.SetInt(int64(parsed))
		return err
	}
	return setPlain(field, value)
}

func orZeroTime(value []byte) []byte {
	if value == nil {
		return []byte("0001-01-01")
	}
	return value
}

func setPlain(field reflect.Value, value []byte) error {
	switch field.Kind() {
	case reflect.String:
		field.SetString(string(value))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number, err := strconv.ParseInt(string(value), 10, field.Type().Bits())
		field.SetInt(number)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		number, err := strconv.ParseUint(string(value), 10, field.Type().Bits())
		field.SetUint(number)
		return err
	case reflect.Float32, reflect.Float64:
		if !isFloatText(string(value)) { // Go reads the names of infinities, too.
			return errors.New("it is no number")
		}
		number, err := strconv.ParseFloat(string(value), field.Type().Bits())
		field.SetFloat(number)
		return err
	case reflect.Bool:
		if len(value) != 1 || value[0] != '0' && value[0] != '1' {
			return errors.New("it is neither 0 nor 1")
		}
		field.SetBool(value[0] == '1')
	case reflect.Slice:
		if field.Type().Elem().Kind() != reflect.Uint8 {
			return errors.New("the field is no slice of bytes")
		}
		field.SetBytes(append([]byte{}, value...))
	case reflect.Interface:
		field.Set(reflect.ValueOf(string(value)))
	default:
		return errors.New("no column is read as a " + field.Type().String())
	}
	return nil
}

// Record returns the columns and values of a row: a map by names, or a struct by tags.
func record(row any) (names []string, values []any, err error) {
	reflected := reflect.ValueOf(row)
	for reflected.Kind() == reflect.Pointer && !reflected.IsNil() {
		reflected = reflected.Elem()
	}
	if !reflected.IsValid() {
		return nil, nil, &ValueError{What: "there is no row"}
	}
	if found, ok := reflected.Interface().(Row); ok {
		for name := range found {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			values = append(values, found[name])
		}
		return names, values, nil
	}
	if reflected.Kind() != reflect.Struct {
		return nil, nil, &ValueError{What: "a row is a Row or a struct with tags hs:\"column\""}
	}
	all := fieldsOfType(reflected.Type())
	for i, place := range all.indexes {
		field, err := reflected.FieldByIndexErr(place)
		if err != nil {
			return nil, nil, &ValueError{What: err.Error()}
		}
		if all.omit[i] && field.IsZero() {
			continue
		}
		names = append(names, all.names[i])
		values = append(values, field.Interface())
	}
	return names, values, nil
}
