package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	hs "handlersocket2.org/client/v2"
)

// Decode makes a Go value of one in JSON.
func decode(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		if whole, ok := new(big.Int).SetString(v.String(), 10); ok {
			return whole
		}
		float, _ := v.Float64()
		return float
	case map[string]any:
		for kind, inner := range v {
			content := fmt.Sprint(inner)
			switch kind {
			case "bytes":
				raw, _ := base64.StdEncoding.DecodeString(content)
				return raw
			case "integer":
				whole, _ := new(big.Int).SetString(content, 10)
				return whole
			case "float":
				return json.Number(content)
			}
			return content
		}
	}
	return value
}

func text(value any) string {
	if value == nil {
		return "\x00"
	}
	if raw, ok := value.([]byte); ok {
		return string(raw)
	}
	return fmt.Sprint(value)
}

func decodeList(value any) []any {
	list, ok := value.([]any)
	if !ok {
		return []any{decode(value)}
	}
	decoded := make([]any, len(list))
	for i, one := range list {
		decoded[i] = decode(one)
	}
	return decoded
}

func decodeRow(value any) hs.Row {
	found, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	row := hs.Row{}
	for name, one := range found {
		row[name] = decode(one)
	}
	return row
}

func textOrBytes(value []byte) any {
	if value == nil {
		return nil
	}
	if utf8.Valid(value) {
		return string(value)
	}
	return encode(value)
}

const exact = 1 << 53

// Encode makes JSON of a Go value.
func encode(value any) any {
	switch v := value.(type) {
	case []byte:
		return map[string]any{"bytes": base64.StdEncoding.EncodeToString(v)}
	case int64:
		if v > exact || v < -exact {
			return map[string]any{"integer": fmt.Sprint(v)}
		}
	case uint64:
		if v > exact {
			return map[string]any{"integer": fmt.Sprint(v)}
		}
	case time.Time:
		layout := "2006-01-02 15:04:05.999999"
		if v.Equal(v.Truncate(24 * time.Hour)) {
			layout = "2006-01-02"
		}
		return map[string]any{"time": v.Format(layout)}
	case time.Duration:
		return map[string]any{"time": durationText(v)}
	case hs.Row:
		if v == nil {
			return nil
		}
		row := map[string]any{}
		for name, one := range v {
			row[name] = encode(one)
		}
		return row
	case nil, bool, string, int, float64:
		return value
	}
	return encodeOther(reflect.ValueOf(value))
}

func encodeOther(value reflect.Value) any {
	switch value.Kind() {
	case reflect.Slice:
		list := make([]any, value.Len())
		for i := range list {
			list[i] = encode(value.Index(i).Interface())
		}
		return list
	case reflect.Struct: // A description, with its names in tags.
		object := map[string]any{}
		for i := 0; i < value.NumField(); i++ {
			object[value.Type().Field(i).Tag.Get("hs")] = value.Field(i).Interface()
		}
		return object
	}
	return value.Interface()
}

func durationText(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	seconds := d / time.Second
	whole := fmt.Sprintf("%s%02d:%02d:%02d", sign, seconds/3600, seconds/60%60, seconds%60)
	if rest := d % time.Second; rest != 0 {
		whole += strings.TrimRight(fmt.Sprintf(".%06d", rest/time.Microsecond), "0")
	}
	return whole
}

func describeError(err error) map[string]any {
	class := strings.TrimPrefix(fmt.Sprintf("%T", err), "*hs.")
	class = strings.TrimPrefix(class, "*protocol.")
	described := map[string]any{"class": class, "message": err.Error()}
	var server *hs.ServerError
	if errors.As(err, &server) {
		described["code"], described["text"] = server.Code, server.Text
		if server.Number != 0 {
			described["number"] = server.Number
		}
	}
	var broken *hs.ConnectionError
	if errors.As(err, &broken) {
		described["sent"] = broken.Sent
	}
	return described
}
