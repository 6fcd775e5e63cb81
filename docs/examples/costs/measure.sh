#!/usr/bin/env bash
# Time and CPU of queries whose cost must not grow with what is asked: lists, words, percentiles, orders by event time.
#   measure.sh JAR FOLDER      JAR: loom-cli/target/loom.jar; FOLDER: room for 1 GB
set -eu
jar=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2" && cd "$2"
[ -e lines.txt ] || python3 "$here/rows.py"
export LOOM_DIR=$PWD/store
if [ ! -e store ]; then
  java -jar "$jar" import --source rows --format csv --event-time ts_ns rows.csv
  java -jar "$jar" import --source lines --format lines lines.txt
fi
run() {
  local name=$1
  shift
  /usr/bin/time -f "$name: %e s, CPU %U s" java -jar "$jar" "$@" 2>&1 >/dev/null | grep -v '^loom:'
}
join() { python3 -c "print('$1'.join($2))"; }
run 'in, 1,000 integers' scan rows --where "n in ($(join , '(str(i*4999) for i in range(1000))'))" -o raw
run 'in, 900 texts' agg rows n --where "key in ($(join , '("\"k%d\"" % (i*97) for i in range(900))'))"
run '900 words' search lines "$(join ' OR ' '("zz%d" % i for i in range(900))')" -o raw
run '1,001 percentiles' agg rows latency_ns --percentile "$(join , '("%.1f" % (i/10) for i in range(1001))')"
run '3 percentiles' agg rows latency_ns --percentile 50,99,99.99
run 'event time, newest' scan rows --time event --limit 1 -o raw
run 'event time, all' scan rows --time event -o csv
run 'arrival, all' scan rows -o csv
