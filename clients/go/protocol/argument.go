package protocol

import (
	"database/sql/driver"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"
)

// AppendArgument appends the token of a Go value: nil, integers, floating point numbers, strings,
// []byte (nil is NULL), booleans (1 and 0), time.Time (in UTC, to the microsecond), time.Duration (as a
// TIME, to the microsecond), *big.Int, json.Number, what implements driver.Valuer, and pointers to
// and types made of these.
func AppendArgument(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(dst, 0), nil
	case string:
		return appendText(dst, v), nil
	case []byte:
		return AppendValue(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float64:
		return appendFloat(dst, v, 64)
	case bool:
		return appendBool(dst, v), nil
	case time.Time:
		return appendTime(dst, v)
	case time.Duration:
		return appendDuration(dst, v), nil
	case json.Number:
		return appendText(dst, v.String()), nil
	case *big.Int:
		if v == nil {
			return append(dst, 0), nil
		}
		return v.Append(dst, 10), nil
	}
	return appendOther(dst, value)
}

func appendOther(dst []byte, value any) ([]byte, error) {
	reflected := reflect.ValueOf(value)
	if reflected.Kind() == reflect.Pointer && reflected.IsNil() {
		return append(dst, 0), nil
	}
	if valuer, ok := value.(driver.Valuer); ok {
		plain, err := valuer.Value()
		if err != nil {
			return dst, valueError("a %T has no value: %v", value, err)
		}
		if _, again := plain.(driver.Valuer); again {
			return dst, valueError("the value of a %T is a driver.Valuer again", value)
		}
		return AppendArgument(dst, plain)
	}
	switch reflected.Kind() {
	case reflect.Pointer:
		return AppendArgument(dst, reflected.Elem().Interface())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, reflected.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, reflected.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		return appendFloat(dst, reflected.Float(), reflected.Type().Bits())
	case reflect.Bool:
		return appendBool(dst, reflected.Bool()), nil
	case reflect.String:
		return appendText(dst, reflected.String()), nil
	case reflect.Slice:
		if reflected.Type().Elem().Kind() == reflect.Uint8 {
			return AppendValue(dst, reflected.Bytes()), nil
		}
	}
	return dst, valueError("a %T is no value of a column", value)
}

func appendFloat(dst []byte, value float64, bits int) ([]byte, error) {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return dst, valueError("%v is no value of a column", value)
	}
	return strconv.AppendFloat(dst, value, 'g', -1, bits), nil
}

func appendBool(dst []byte, value bool) []byte {
	if value {
		return append(dst, '1')
	}
	return append(dst, '0')
}

func appendTime(dst []byte, value time.Time) ([]byte, error) {
	value = value.UTC()
	if year := value.Year(); year < 0 || year > 9999 {
		return dst, valueError("the year %d is none of a column", year)
	}
	return value.AppendFormat(dst, "2006-01-02 15:04:05.999999"), nil
}

func appendDuration(dst []byte, value time.Duration) []byte {
	micros := value.Microseconds()
	if micros < 0 {
		dst = append(dst, '-')
		micros = -micros
	}
	seconds := micros / 1e6
	dst = appendPadded(dst, seconds/3600, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, seconds/60%60, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, seconds%60, 2)
	if fraction := micros % 1e6; fraction != 0 {
		dst = append(dst, '.')
		dst = appendPadded(dst, fraction, 6)
	}
	return dst
}

func appendPadded(dst []byte, number int64, width int) []byte {
	digits := strconv.FormatInt(number, 10)
	for i := len(digits); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
