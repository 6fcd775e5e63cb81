"""Writes rows.csv (5 M rows, times about in order) and lines.txt (1 M lines of 12 words) into the current folder."""

import random

r = random.Random(7)
with open("rows.csv", "w") as f:
    f.write("ts_ns,n,key,latency_ns\n")
    for i in range(5_000_000):
        ts = 1795229193000000000 + i * 1000 + r.randrange(-5_000_000, 5_000_000)
        f.write(f"{ts},{i},k{r.randrange(100000)},{int(r.expovariate(1 / 100000))}\n")
words = [f"word{i}" for i in range(20000)]
with open("lines.txt", "w") as f:
    for _ in range(1_000_000):
        f.write(" ".join(r.choice(words) for _ in range(12)) + "\n")
