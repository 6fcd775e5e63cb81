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

// row is a span as all of them have it: times in whole microseconds.
func row(id, parent, service, name string, startUs, durationUs int64) string {
	return fmt.Sprintf("%s parent=%s %s/%s start=%d duration=%d", id, parent, service, name, startUs, durationUs)
}

func ofLoom(url, trace string) []string {
	body, err := json.Marshal(map[string]any{"trace_id": trace, "rows": true, "no-logs": true})
	check(err)
	answer, err := http.Post(url+"/v1/trace", "application/json", bytes.NewReader(body))
	check(err)
	defer answer.Body.Close()
	rows := []string{}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var span struct {
			Row             string
			ID              string `json:"span_id"`
			Parent          string `json:"parent_span_id"`
			Service, Name   string
			Start, Duration int64
		}
		check(json.Unmarshal(lines.Bytes(), &span))
		if span.Row == "span" {
			rows = append(rows, row(span.ID, span.Parent, span.Service, span.Name, span.Start/1000, span.Duration/1000))
		}
	}
	return rows
}

func ofTempo(service *tempo.Service, url, trace string) []string {
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
	rows := []string{}
	for _, frame := range answer.Responses["A"].Frames {
		text := func(name string, i int) string {
			field, _ := frame.FieldByName(name)
			return field.At(i).(string)
		}
		// Grafana has milliseconds as floating-point numbers
		us := func(name string, i int) int64 {
			field, _ := frame.FieldByName(name)
			return int64(field.At(i).(float64)*1000 + 0.0005)
		}
		for i := 0; i < frame.Rows(); i++ {
			rows = append(rows, row(text("spanID", i), text("parentSpanID", i), text("serviceName", i), text("operationName", i),
				us("startTime", i), us("duration", i)))
		}
	}
	return rows
}

func ofJaeger(url, trace string) []string {
	var answer struct {
		Data                 []jaeger.Trace
		Total, Limit, Offset int
		Errors               any
	}
	strict := json.NewDecoder(bytes.NewReader(get(url + "/jaeger/api/traces/" + trace)))
	strict.DisallowUnknownFields()
	check(strict.Decode(&answer))
	rows := []string{}
	for _, found := range answer.Data {
		for _, span := range found.Spans {
			parent := ""
			for _, reference := range span.References {
				if reference.RefType == jaeger.ChildOf {
					parent = string(reference.SpanID)
				}
			}
			rows = append(rows, row(string(span.SpanID), parent, found.Processes[span.ProcessID].ServiceName, span.OperationName,
				int64(span.StartTime), int64(span.Duration)))
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
		loom := ofLoom(url, id)
		sort.Strings(loom)
		for name, rows := range map[string][]string{"tempo": ofTempo(service, url, id), "jaeger": ofJaeger(url, id)} {
			sort.Strings(rows)
			if strings.Join(rows, "\n") != strings.Join(loom, "\n") {
				failed++
				fmt.Printf("FAIL %s %s\n  loom:\n%s\n  %s:\n%s\n", id, name, strings.Join(loom, "\n"), name, strings.Join(rows, "\n"))
			}
		}
		spans += len(loom)
	}
	fmt.Printf("traces=%d spans=%d differences=%d\n", len(ids), spans, failed)
	if failed > 0 || spans == 0 {
		os.Exit(1)
	}
}
