// Asks a Loom sidecar for traces by the code of Grafana's Tempo data source and into the types of Jaeger's query service, and compares
// both with what Loom's own API says.
//
//	go mod tidy && go run . http://localhost:4319 [TRACE_ID ...]
//
// Without ids, it takes those that Tempo's search finds. Grafana is under the AGPL, and so is what is built of this; it is built to be
// run here, not to be given away.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana/pkg/infra/httpclient"
	"github.com/grafana/grafana/pkg/tsdb/tempo"
	jaeger "github.com/jaegertracing/jaeger/model/json"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func get(url string) []byte {
	answer, err := http.Get(url)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != http.StatusOK {
		check(fmt.Errorf("%s: %s: %s", url, answer.Status, body))
	}
	return body
}

// span is what all of them have of a span.
type span struct {
	id, parent, service, name string
	startUs, durationUs       int64
}

// same tells whether two are equal except for the rounding of Grafana, which has milliseconds as floating-point numbers.
func same(a, b span) bool {
	near := func(x, y int64) bool { return x-y <= 1 && y-x <= 1 }
	return near(a.startUs, b.startUs) && near(a.durationUs, b.durationUs) &&
		a.id == b.id && a.parent == b.parent && a.service == b.service && a.name == b.name
}

func differ(a, b []span) bool {
	for i := range a {
		if len(a) != len(b) || !same(a[i], b[i]) {
			return true
		}
	}
	return len(a) != len(b)
}

func sorted(spans []span) []span {
	sort.Slice(spans, func(i, j int) bool { return spans[i].id < spans[j].id })
	return spans
}

func ofLoom(url, trace string) []span {
	body, err := json.Marshal(map[string]any{"trace_id": trace, "rows": true, "no-logs": true})
	check(err)
	answer, err := http.Post(url+"/v1/trace", "application/json", bytes.NewReader(body))
	check(err)
	defer answer.Body.Close()
	rows := []span{}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row struct {
			Row             string
			ID              string `json:"span_id"`
			Parent          string `json:"parent_span_id"`
			Service, Name   string
			Start, Duration int64
		}
		check(json.Unmarshal(lines.Bytes(), &row))
		if row.Row == "span" {
			rows = append(rows, span{row.ID, row.Parent, row.Service, row.Name, row.Start / 1000, row.Duration / 1000})
		}
	}
	return rows
}

func ofTempo(service *tempo.Service, url, trace string) []span {
	query, err := json.Marshal(map[string]string{"queryType": "traceId", "query": trace})
	check(err)
	answer, err := service.QueryData(context.Background(), &backend.QueryDataRequest{
		PluginContext: backend.PluginContext{DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
			ID: 1, URL: url + "/tempo", JSONData: []byte("{}")}},
		Queries: []backend.DataQuery{{RefID: "A", JSON: query, TimeRange: backend.TimeRange{
			From: time.Unix(1, 0), To: time.Now()}}},
	})
	check(err)
	check(answer.Responses["A"].Error)
	rows := []span{}
	for _, frame := range answer.Responses["A"].Frames {
		text := func(name string, i int) string {
			field, _ := frame.FieldByName(name)
			return field.At(i).(string)
		}
		us := func(name string, i int) int64 {
			field, _ := frame.FieldByName(name)
			return int64(field.At(i).(float64) * 1000)
		}
		for i := 0; i < frame.Rows(); i++ {
			rows = append(rows, span{text("spanID", i), text("parentSpanID", i), text("serviceName", i), text("operationName", i),
				us("startTime", i), us("duration", i)})
		}
	}
	return rows
}

func ofJaeger(url, trace string) []span {
	var answer struct {
		Data                 []jaeger.Trace
		Total, Limit, Offset int
		Errors               any
	}
	strict := json.NewDecoder(bytes.NewReader(get(url + "/jaeger/api/traces/" + trace)))
	strict.DisallowUnknownFields()
	check(strict.Decode(&answer))
	rows := []span{}
	for _, found := range answer.Data {
		for _, each := range found.Spans {
			parent := ""
			for _, reference := range each.References {
				if reference.RefType == jaeger.ChildOf {
					parent = string(reference.SpanID)
				}
			}
			rows = append(rows, span{string(each.SpanID), parent, found.Processes[each.ProcessID].ServiceName, each.OperationName,
				int64(each.StartTime), int64(each.Duration)})
		}
	}
	return rows
}

func found(url string) []string {
	var answer struct{ Traces []struct{ TraceID string } }
	check(json.Unmarshal(get(url+"/tempo/api/search?q=%7B%7D&limit=100"), &answer))
	ids := []string{}
	for _, trace := range answer.Traces {
		ids = append(ids, trace.TraceID)
	}
	return ids
}

func main() {
	url := strings.TrimSuffix(os.Args[1], "/")
	ids := os.Args[2:]
	if len(ids) == 0 {
		ids = found(url)
	}
	service := tempo.ProvideService(httpclient.NewProvider())
	failed, spans := 0, 0
	for _, id := range ids {
		loom := sorted(ofLoom(url, id))
		for name, found := range map[string][]span{"tempo": ofTempo(service, url, id), "jaeger": ofJaeger(url, id)} {
			if differ(loom, sorted(found)) {
				failed++
				fmt.Printf("FAIL %s\n  loom: %+v\n  %s: %+v\n", id, loom, name, found)
			}
		}
		spans += len(loom)
	}
	fmt.Printf("traces=%d spans=%d differences=%d\n", len(ids), spans, failed)
	if failed > 0 || spans == 0 {
		os.Exit(1)
	}
}
