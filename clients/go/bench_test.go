package hs

import (
	"testing"
)

func BenchmarkGet(b *testing.B) {
	_, users := realTable(b)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if row, err := users.Get(background, 101); err != nil || row == nil {
			b.Fatal(row, err)
		}
	}
}

func BenchmarkGetStruct(b *testing.B) {
	_, users := realTable(b)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if row, err := Get[sampleUser](background, users, 101); err != nil || row == nil {
			b.Fatal(row, err)
		}
	}
}

type sampleUser struct {
	ID    uint32  `hs:"user_id"`
	Name  string  `hs:"user_name"`
	Email *string `hs:"user_email"`
}

func BenchmarkPipelineOf100(b *testing.B) {
	client, users := realTable(b)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		pipeline := client.Pipeline()
		for j := 0; j < 100; j++ {
			pipeline.Get(users, 101)
		}
		if err := pipeline.Run(background); err != nil {
			b.Fatal(err)
		}
	}
}
