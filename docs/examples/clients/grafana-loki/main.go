// Asks Loki's API at the address of the first argument through Grafana's own Loki data source, and prints the frames as JSON lines.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	sdkhttp "github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana/pkg/infra/tracing"
	"github.com/grafana/grafana/pkg/services/featuremgmt"
	"github.com/grafana/grafana/pkg/tsdb/loki"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	service := loki.ProvideService(sdkhttp.NewProvider(), featuremgmt.WithFeatures(), tracing.InitializeTracerForTest())
	source := &backend.DataSourceInstanceSettings{ID: 1, URL: os.Args[1], JSONData: []byte("{}")}
	plugin := backend.PluginContext{DataSourceInstanceSettings: source}
	var from, to int64
	fmt.Sscan(os.Args[2], &from)
	fmt.Sscan(os.Args[3], &to)
	request := &backend.QueryDataRequest{PluginContext: plugin}
	for _, expr := range os.Args[4:] {
		model, err := json.Marshal(map[string]any{"expr": expr, "queryType": "range", "maxLines": 5000})
		check(err)
		request.Queries = append(request.Queries, backend.DataQuery{
			RefID:         expr,
			JSON:          model,
			Interval:      time.Hour,
			MaxDataPoints: 1000,
			TimeRange:     backend.TimeRange{From: time.Unix(from, 0), To: time.Unix(to, 0)},
		})
	}
	answer, err := service.QueryData(context.Background(), request)
	check(err)
	for _, expr := range os.Args[4:] {
		response := answer.Responses[expr]
		check(response.Error)
		for _, frame := range response.Frames {
			text, err := json.Marshal(frame)
			check(err)
			fmt.Println(string(text))
		}
	}
}
