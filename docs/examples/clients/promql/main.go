// Command oracle answers PromQL queries over given samples with Prometheus' own storage and engine.
//
// It reads one JSON object from standard input, {"series":[{"labels":{},"t":[ms],"v":[number or "NaN"/"+Inf"/"-Inf"/"stale"],"h":[histogram]}],
// "queries":[{"query":"","start":ms,"end":ms,"step":ms}]} (step 0: an instant query at start), and writes one line for each query:
// {"type":"","result":[],"error":""}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/tsdb"
)

type series struct {
	Labels map[string]string           `json:"labels"`
	T      []int64                     `json:"t"`
	V      []string                    `json:"v"`
	H      []*histogram.FloatHistogram `json:"h"`
}

type query struct {
	Query string `json:"query"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Step  int64  `json:"step"`
}

type input struct {
	Series  []series `json:"series"`
	Queries []query  `json:"queries"`
}

type answer struct {
	Type   string       `json:"type"`
	Result parser.Value `json:"result"`
	Error  string       `json:"error"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func number(text string) float64 {
	if text == "stale" {
		return math.Float64frombits(value.StaleNaN)
	}
	n, err := strconv.ParseFloat(text, 64)
	must(err)
	return n
}

func main() {
	var in input
	must(json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&in))
	dir, err := os.MkdirTemp("", "oracle")
	must(err)
	defer os.RemoveAll(dir)
	options := tsdb.DefaultOptions()
	options.OutOfOrderTimeWindow = math.MaxInt64 / 4
	db, err := tsdb.Open(dir, slog.New(slog.DiscardHandler), nil, options, nil)
	must(err)
	for _, s := range in.Series {
		app := db.Appender(context.Background())
		l := labels.FromMap(s.Labels)
		for i, t := range s.T {
			if s.H != nil && s.H[i] != nil {
				_, err = app.AppendHistogram(0, l, t, nil, s.H[i])
			} else {
				_, err = app.Append(0, l, t, number(s.V[i]))
			}
			must(err)
		}
		must(app.Commit())
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples:           50_000_000,
		Timeout:              time.Minute,
		LookbackDelta:        5 * time.Minute,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
		NoStepSubqueryIntervalFn: func(int64) int64 { return 60_000 },
		Parser:               parser.NewParser(parser.Options{}),
	})
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, q := range in.Queries {
		line, err := json.Marshal(run(engine, db, q))
		must(err)
		fmt.Fprintf(out, "%s\n", line)
	}
}

func run(engine *promql.Engine, db *tsdb.DB, q query) answer {
	var prepared promql.Query
	var err error
	if q.Step == 0 {
		prepared, err = engine.NewInstantQuery(context.Background(), db, nil, q.Query, time.UnixMilli(q.Start))
	} else {
		prepared, err = engine.NewRangeQuery(
			context.Background(), db, nil, q.Query, time.UnixMilli(q.Start), time.UnixMilli(q.End),
			time.Duration(q.Step)*time.Millisecond)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer prepared.Close()
	result := prepared.Exec(context.Background())
	if result.Err != nil {
		return answer{Error: result.Err.Error()}
	}
	copied, err := json.Marshal(result.Value)
	must(err)
	return answer{Type: string(result.Value.Type()), Result: raw{copied, result.Value.Type()}}
}

type raw struct {
	text []byte
	kind parser.ValueType
}

func (r raw) MarshalJSON() ([]byte, error) { return r.text, nil }
func (r raw) Type() parser.ValueType       { return r.kind }
func (r raw) String() string               { return string(r.text) }
