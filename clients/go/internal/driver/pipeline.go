package main

import (
	"context"
	"fmt"

	hs "handlersocket2.org/client/v2"
)

// Pipeline collects the calls; each leaves a function that gives its answer.
func (d *driver) pipeline(ctx context.Context, o *order) (any, error) {
	p := d.client.Pipeline()
	if d.tx != nil {
		p = d.tx.Pipeline()
	}
	var answers []func() map[string]any
	for _, line := range o.Calls {
		call, err := parse(line)
		if err == nil {
			var answer func() map[string]any
			if answer, err = d.addCall(p, call); err == nil {
				answers = append(answers, answer)
				continue
			}
		}
		answers = append(answers, func() map[string]any { return answerOf(nil, err) })
	}
	// A connection that broke is also the error of each call that has no answer.
	_ = p.Run(ctx)
	results := make([]any, len(answers))
	for i, answer := range answers {
		results[i] = answer()
	}
	return results, nil
}

func plain[T any](result *hs.Result[T]) func() map[string]any {
	return shown(result, func(value T) any { return value })
}

func shown[T any](result *hs.Result[T], show func(T) any) func() map[string]any {
	return func() map[string]any {
		value, err := result.Get()
		return answerOf(show(value), err)
	}
}

func (d *driver) addCall(p *hs.Pipeline, o *order) (func() map[string]any, error) {
	t, err := d.at(o.Table)
	if err != nil {
		return nil, err
	}
	a := arguments{o.Args}
	if returning := a.text("returning", ""); returning != "" {
		result, err := addReturning(p.Returning(t, whenOf(returning)), o.Do, a)
		return plain(result), err
	}
	switch o.Do {
	case "get":
		return plain(p.Get(t, a.key())), nil
	case "find":
		return plain(p.Find(t, a.text("op", "="), a.key(), a.options()...)), nil
	case "find_all":
		values := decodeList(o.Args["values"])
		column := a.text("in_column", "")
		return plain(p.FindAll(t, a.text("op", "="), a.key(), column, values, a.options()...)), nil
	case "count":
		return plain(p.Count(t, a.text("op", "="), a.key(), a.options()...)), nil
	case "exists":
		return plain(p.Exists(t, a.key())), nil
	case "insert":
		return shown(p.Insert(t, a.row()), optionalID), nil
	case "insert_ignore":
		return shown(p.InsertIgnore(t, a.row()), inserted), nil
	case "upsert":
		return shown(p.Upsert(t, a.row(), a.update()), upserted), nil
	case "replace":
		return shown(p.Replace(t, a.row()), replaced), nil
	case "update":
		return plain(p.Update(t, a.key(), a.values(), a.options()...)), nil
	case "delete":
		return plain(p.Delete(t, a.key(), a.options()...)), nil
	case "increment":
		return plain(p.Increment(t, a.key(), decodeRow(a.all["amounts"]), a.options()...)), nil
	case "decrement":
		return plain(p.Decrement(t, a.key(), decodeRow(a.all["amounts"]), a.options()...)), nil
	case "compare_and_set":
		expected := decodeRow(a.all["expected"])
		return plain(p.CompareAndSet(t, a.key(), expected, a.values())), nil
	}
	return nil, fmt.Errorf("there is no call %s in a pipeline", o.Do)
}

func addReturning(r *hs.PipelineReturning, do string, a arguments) (*hs.Result[[]hs.Row], error) {
	switch do {
	case "insert":
		return r.Insert(a.row()), nil
	case "insert_ignore":
		return r.InsertIgnore(a.row()), nil
	case "upsert":
		return r.Upsert(a.row(), a.update()), nil
	case "replace":
		return r.Replace(a.row()), nil
	case "update":
		return r.Update(a.key(), a.values(), a.options()...), nil
	case "delete":
		return r.Delete(a.key(), a.options()...), nil
	case "increment":
		return r.Increment(a.key(), decodeRow(a.all["amounts"]), a.options()...), nil
	case "decrement":
		return r.Decrement(a.key(), decodeRow(a.all["amounts"]), a.options()...), nil
	}
	return nil, fmt.Errorf("%s gives no rows", do)
}
