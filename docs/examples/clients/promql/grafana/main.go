// Command grafana asks a server of Prometheus' API by the library of Grafana's data source (promlib), and prints what its panels would get.
//
//	go build -o grafana . && ./grafana http://localhost:4319/prometheus < queries
//
// It reads a JSON object a line from standard input, {"query":"","start":ms,"end":ms,"step":ms} (step 0: an instant query at start), and
// writes one line for each, in its order: {"rows":[{"metric":{},"values":[[ms,number],..]}],"error":""}. Numbers are texts, since JSON
// lacks some of them. Native histograms are rows of cells, [ms, least, greatest, count]. Grafana is under the AGPL, and so is what is built of
// this; it is built to be run here, not to be given away.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana/pkg/promlib"
)

type query struct {
	Query string `json:"query"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Step  int64  `json:"step"`
}

type row struct {
	Metric data.Labels `json:"metric"`
	Values [][]any     `json:"values"`
}

type answer struct {
	Rows  []row  `json:"rows"`
	Error string `json:"error"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	source := &backend.DataSourceInstanceSettings{
		UID: "loom", Type: "prometheus", URL: os.Args[1],
		JSONData: []byte(`{"httpMethod":"POST","prometheusType":"Prometheus","prometheusVersion":"3.0.0"}`)}
	service := promlib.NewService(nil, log.NewNullLogger(), nil)
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for in.More() {
		var asked query
		check(in.Decode(&asked))
		check(out.Encode(ask(service, source, asked)))
	}
}

func ask(service *promlib.Service, source *backend.DataSourceInstanceSettings, asked query) answer {
	model, err := json.Marshal(map[string]any{
		"expr": asked.Query, "instant": asked.Step == 0, "range": asked.Step != 0, "interval": fmt.Sprintf("%dms", max(asked.Step, 1)),
		"format": "time_series", "legendFormat": "__auto"})
	check(err)
	response, err := service.QueryData(context.Background(), &backend.QueryDataRequest{
		PluginContext: backend.PluginContext{DataSourceInstanceSettings: source},
		Queries: []backend.DataQuery{{
			RefID:         "A",
			JSON:          model,
			Interval:      time.Duration(asked.Step) * time.Millisecond,
			MaxDataPoints: 11_000,
			TimeRange:     backend.TimeRange{From: time.UnixMilli(asked.Start), To: time.UnixMilli(asked.End)},
		}},
	})
	check(err)
	if response.Responses["A"].Error != nil {
		return answer{Error: response.Responses["A"].Error.Error()}
	}
	found := answer{Rows: []row{}}
	for _, frame := range response.Responses["A"].Frames {
		if cells(frame) {
			found.Rows = append(found.Rows, table(frame, frame.Fields[1:4], frame.Fields[1].Labels))
			continue
		}
		for _, values := range frame.Fields[min(1, len(frame.Fields)):] {
			found.Rows = append(found.Rows, table(frame, []*data.Field{values}, values.Labels))
		}
	}
	return found
}

// cells tells whether a frame is a heatmap's: time, least, greatest and count of each cell.
func cells(frame *data.Frame) bool {
	return frame.Meta != nil && frame.Meta.Type == "heatmap-cells" && len(frame.Fields) >= 4
}

// table is the first field of a frame, as milliseconds, beside others.
func table(frame *data.Frame, columns []*data.Field, labels data.Labels) row {
	found := row{Metric: labels, Values: [][]any{}}
	for i := 0; i < frame.Rows(); i++ {
		values := []any{frame.Fields[0].At(i).(time.Time).UnixMilli()}
		for _, column := range columns {
			if number, err := column.FloatAt(i); err == nil {
				values = append(values, strconv.FormatFloat(number, 'g', -1, 64))
			}
		}
		found.Values = append(found.Values, values)
	}
	return found
}
