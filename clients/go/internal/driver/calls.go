package main

import (
	"context"
	"encoding/json"
	"fmt"

	hs "handlersocket2.org/client/v2"
)

// Arguments are those of a call, by their names in the contract.
type arguments struct {
	all map[string]any
}

func (a arguments) key() any { return hs.Key(decodeList(a.all["key"])) }

func (a arguments) row() hs.Row { return decodeRow(a.all["row"]) }

func (a arguments) values() hs.Row { return decodeRow(a.all["values"]) }

func (a arguments) update() any {
	if a.all["update"] == nil {
		return nil
	}
	return decodeRow(a.all["update"])
}

func (a arguments) text(name, missing string) string {
	if found, ok := a.all[name].(string); ok {
		return found
	}
	return missing
}

func (a arguments) number(name string) (int, bool) {
	found, ok := a.all[name].(json.Number)
	if !ok {
		return 0, false
	}
	whole, err := found.Int64()
	return int(whole), err == nil
}

func (a arguments) options() (options []hs.Option) {
	if limit, ok := a.number("limit"); ok {
		options = append(options, hs.Limit(limit))
	}
	if offset, ok := a.number("offset"); ok {
		options = append(options, hs.Offset(offset))
	}
	options = append(options, a.filters()...)
	if in, ok := a.all["in"].(map[string]any); ok {
		options = append(options, hs.In(fmt.Sprint(in["column"]), decodeList(in["values"])...))
	} else if in, ok := a.all["in"].([]any); ok && len(in) == 2 {
		options = append(options, hs.In(fmt.Sprint(in[0]), decodeList(in[1])...))
	}
	if op := a.text("op", ""); op != "" {
		options = append(options, hs.Op(op))
	}
	return options
}

func (a arguments) filters() (options []hs.Option) {
	list, _ := a.all["filters"].([]any)
	for _, one := range list {
		parts := one.([]any)
		filter := hs.Where
		if len(parts) == 4 {
			filter = hs.While
		}
		options = append(options, filter(parts[0].(string), parts[1].(string), decode(parts[2])))
	}
	return options
}

func (d *driver) at(number int) (*hs.Table, error) {
	if number < 1 || number > len(d.tables) {
		return nil, fmt.Errorf("there is no table %d", number)
	}
	table := d.tables[number-1]
	if d.tx != nil {
		table = table.On(d.tx)
	}
	return table, nil
}

func (d *driver) call(ctx context.Context, o *order) (any, error) {
	t, err := d.at(o.Table)
	if err != nil {
		return nil, err
	}
	a := arguments{o.Args}
	if returning := a.text("returning", ""); returning != "" {
		return callReturning(ctx, t, o.Do, returning, a)
	}
	switch o.Do {
	case "get":
		return t.Get(ctx, a.key())
	case "get_many":
		keys, _ := o.Args["keys"].([]any)
		many := make([]any, len(keys))
		for i, key := range keys {
			many[i] = hs.Key(decodeList(key))
		}
		return t.GetMany(ctx, many)
	case "find":
		return t.Find(ctx, a.text("op", "="), a.key(), a.options()...)
	case "find_all":
		values := decodeList(o.Args["values"])
		column := a.text("in_column", "")
		return t.FindAll(ctx, a.text("op", "="), a.key(), column, values, a.options()...)
	case "range":
		return collect(t.Range(ctx, a.rangeOptions()...))
	case "count":
		return t.Count(ctx, a.text("op", "="), a.key(), a.options()...)
	case "exists":
		return t.Exists(ctx, a.key())
	}
	return callChange(ctx, t, o.Do, a)
}

func (a arguments) rangeOptions() []hs.RangeOption {
	options := []hs.RangeOption{hs.Filtered(a.filters()...)}
	if a.all["start"] != nil {
		options = append(options, hs.From(hs.Key(decodeList(a.all["start"]))))
	}
	if stop := a.all["stop"]; stop != nil {
		if list, ok := stop.([]any); ok && len(list) == 1 {
			stop = list[0]
		}
		options = append(options, hs.To(decode(stop)))
	}
	if a.all["reverse"] == true {
		options = append(options, hs.Reverse())
	}
	if page, ok := a.number("page"); ok {
		options = append(options, hs.Page(page))
	}
	return options
}

func collect(rows *hs.Rows[hs.Row]) ([]hs.Row, error) {
	all := []hs.Row{}
	for rows.Next() {
		all = append(all, rows.Row())
	}
	return all, rows.Err()
}

func callChange(ctx context.Context, t *hs.Table, do string, a arguments) (any, error) {
	switch do {
	case "insert":
		return idOrNil(t.Insert(ctx, a.row()))
	case "insert_ignore":
		done, err := t.InsertIgnore(ctx, a.row())
		return inserted(done), err
	case "upsert":
		done, err := t.Upsert(ctx, a.row(), a.update())
		return upserted(done), err
	case "replace":
		done, err := t.Replace(ctx, a.row())
		return replaced(done), err
	case "update":
		return t.Update(ctx, a.key(), a.values(), a.options()...)
	case "put_back":
		row, err := t.Get(ctx, a.key())
		if err != nil {
			return nil, err
		}
		return t.Update(ctx, a.key(), row)
	case "delete":
		return t.Delete(ctx, a.key(), a.options()...)
	case "increment":
		return t.Increment(ctx, a.key(), decodeRow(a.all["amounts"]), a.options()...)
	case "decrement":
		return t.Decrement(ctx, a.key(), decodeRow(a.all["amounts"]), a.options()...)
	case "compare_and_set":
		return t.CompareAndSet(ctx, a.key(), decodeRow(a.all["expected"]), a.values())
	}
	return nil, fmt.Errorf("there is no call %s", do)
}

func idOrNil(id uint64, err error) (any, error) {
	if id == 0 {
		return nil, err
	}
	return id, err
}

func optionalID(id uint64) any {
	made, _ := idOrNil(id, nil)
	return encode(made)
}

func inserted(done hs.Inserted) any {
	return map[string]any{"inserted": done.Inserted, "id": optionalID(done.ID)}
}

func upserted(done hs.Upserted) any {
	return map[string]any{"did": done.Did, "id": optionalID(done.ID)}
}

func replaced(done hs.Replaced) any {
	return map[string]any{"replaced": done.Rows, "id": optionalID(done.ID)}
}

func whenOf(returning string) hs.When {
	if returning == "before" {
		return hs.Before
	}
	return hs.After
}

func callReturning(
	ctx context.Context, t *hs.Table, do, when string, a arguments,
) (any, error) {
	r := t.Returning(whenOf(when))
	switch do {
	case "insert":
		return r.Insert(ctx, a.row())
	case "insert_ignore":
		return r.InsertIgnore(ctx, a.row())
	case "upsert":
		return r.Upsert(ctx, a.row(), a.update())
	case "replace":
		return r.Replace(ctx, a.row())
	case "update":
		return r.Update(ctx, a.key(), a.values(), a.options()...)
	case "delete":
		return r.Delete(ctx, a.key(), a.options()...)
	case "increment":
		return r.Increment(ctx, a.key(), decodeRow(a.all["amounts"]), a.options()...)
	case "decrement":
		return r.Decrement(ctx, a.key(), decodeRow(a.all["amounts"]), a.options()...)
	}
	return nil, fmt.Errorf("%s gives no rows", do)
}
