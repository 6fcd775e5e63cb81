"""Records how Prometheus answers random queries: a line of series, then one for each query with its answer.

    go build -o oracle . && python3 record.py --oracle ./oracle --seed 1 --count 500 --small > answers.jsonl
"""

import argparse
import json
import subprocess
import sys

import cases

parser = argparse.ArgumentParser()
parser.add_argument("--oracle", required=True)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=500)
parser.add_argument("--small", action="store_true", help="one job and two instances of it")
args = parser.parse_args()

asked = cases.cases(args.seed, args.count)
if args.small:
    asked["series"] = [each for each in asked["series"] if each["labels"]["instance"] != "c:1"]
answered = subprocess.run([args.oracle], input=json.dumps(asked).encode(), stdout=subprocess.PIPE, check=True).stdout
print(json.dumps(asked["series"], separators=(",", ":")))
for query, line in zip(asked["queries"], answered.decode().splitlines(), strict=True):
    print(json.dumps({"query": query, "answer": json.loads(line)}, separators=(",", ":")))
print(len(asked["queries"]), "queries", file=sys.stderr)
