module example/grafana

go 1.22

require (
	github.com/grafana/grafana v1.9.2-0.20230609164553-81d85ce8028d
	github.com/jaegertracing/jaeger v1.25.0
)

// those of Grafana's own module, which do not hold for others
replace github.com/denisenkom/go-mssqldb => github.com/grafana/go-mssqldb v0.9.2
replace github.com/docker/docker => github.com/moby/moby v23.0.4+incompatible
replace cuelang.org/go => github.com/sdboyer/cue v0.5.0-beta.2.0.20230419165817-251c3ae823d8
replace github.com/deepmap/oapi-codegen => github.com/spinillos/oapi-codegen v1.12.5-0.20230417081915-2945b61c0b1c
replace k8s.io/client-go => k8s.io/client-go v0.25.3
replace github.com/crewjam/saml => github.com/grafana/saml v0.4.13-0.20230331080031-67cbfa09c7b6
replace github.com/hashicorp/go-hclog => github.com/hashicorp/go-hclog v0.16.1
replace xorm.io/xorm => github.com/grafana/xorm v0.8.3-0.20220614223926-2fcda7565af6
replace github.com/prometheus/alertmanager => github.com/grafana/prometheus-alertmanager v0.25.1-0.20230426142720-803b73a2f1f7
replace google.golang.org/grpc => google.golang.org/grpc v1.45.0
replace google.golang.org/genproto => google.golang.org/genproto v0.0.0-20220421151946-72621c1f0bd3
replace github.com/lib/pq => github.com/lib/pq v1.10.6
