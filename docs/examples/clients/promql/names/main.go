// Command names prints how Prometheus names metrics and attributes of OTLP: a line for each, its fields separated by tabs.
package main

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/prometheus/otlptranslator"
)

var kinds = map[string]otlptranslator.MetricType{
	"gauge": otlptranslator.MetricTypeGauge,
	"sum true": otlptranslator.MetricTypeMonotonicCounter,
	"sum false": otlptranslator.MetricTypeNonMonotonicCounter,
	"histogram": otlptranslator.MetricTypeHistogram,
	"exponential_histogram": otlptranslator.MetricTypeExponentialHistogram,
	"summary": otlptranslator.MetricTypeSummary,
}

func main() {
	random := rand.New(rand.NewSource(1))
	words := []string{"http", "server", "request", "duration", "total", "ratio", "seconds", "bytes", "5xx", "a:b", "é", "x1", "per", "second", "count", "milliseconds", "per_second"}
	separators := []string{".", "_", "-", "/", "..", "__", " ", "ü", "%"}
	units := []string{"", "s", "ms", "1", "%", "By", "By/s", "{request}", "{request}/s", "m/s", "KiBy", "foo", "foo bar", "foo/", "/s", "1/h", "_", "a/b/c", " s ", "Cel", "é", "foo-", "foo-/bar-", "{x}/{y}", "total", "ratio"}
	namer := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	seen := map[string]bool{}
	for len(seen) < 1500 {
		var name strings.Builder
		if random.Intn(5) == 0 {
			name.WriteString(separators[random.Intn(len(separators))])
		}
		for i := random.Intn(4); i >= 0; i-- {
			name.WriteString(words[random.Intn(len(words))])
			if i > 0 || random.Intn(6) == 0 {
				name.WriteString(separators[random.Intn(len(separators))])
			}
		}
		unit := units[random.Intn(len(units))]
		for kind, of := range kinds {
			built, err := namer.Build(otlptranslator.Metric{Name: name.String(), Unit: unit, Type: of})
			line := fmt.Sprintf("metric\t%s\t%s\t%s\t%s", name.String(), unit, kind, built)
			if err == nil && !seen[line] {
				seen[line] = true
				fmt.Println(line)
			}
			break // one kind, whichever comes first
		}
	}
	labels := otlptranslator.LabelNamer{UnderscoreLabelSanitization: true, PreserveMultipleUnderscores: true}
	for _, key := range []string{"http.route", "a", "5xx", "_a", "a__b", "a.-b", "k8s.pod.name", "é", "a b", "_5", "9"} {
		built, err := labels.Build(key)
		if err == nil {
			fmt.Printf("label\t%s\t%s\n", key, built)
		}
	}
}
