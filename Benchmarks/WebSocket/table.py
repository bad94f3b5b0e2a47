"""Converts Autobahn's index.json to a table. Exits with status 1 if a case failed."""

import collections
import json
import sys

GROUPS = {
    1: "Framing",
    2: "Pings and pongs",
    3: "Reserved bits",
    4: "Opcodes",
    5: "Fragmentation",
    6: "UTF-8",
    7: "Close handshake",
    9: "Limits and performance",
    10: "Miscellaneous",
    12: "Compression, several payloads",
    13: "Compression, several parameters",
}
# The verdict NON-STRICT means that the RFC permits the behaviour. INFORMATIONAL is no verdict.
# The total number of cases.
SUITE = 517
PASSED = {"OK", "NON-STRICT", "INFORMATIONAL"}

with open(sys.argv[1]) as file:
    results = next(iter(json.load(file).values()))

groups = collections.defaultdict(list)
for case, result in results.items():
    groups[int(case.split(".")[0])].append((case, result))

print("# Autobahn WebSocket suite 25.10.1\n")
print("| cases | subject | passed | strictly | of |")
print("|---|---|---:|---:|---:|")
failed, totals = [], [0, 0, 0]
for group in sorted(groups):
    cases = groups[group]
    good = [case for case, result in cases if {result["behavior"], result["behaviorClose"]} <= PASSED]
    strict = sum(1 for _, result in cases if result["behavior"] in ("OK", "INFORMATIONAL"))
    failed += [case for case, _ in cases if case not in good]
    row = [len(good), strict, len(cases)]
    totals = [total + number for total, number in zip(totals, row)]
    print(f"| {group}.* | {GROUPS.get(group, '')} | {row[0]} | {row[1]} | {row[2]} |")
print(f"| all | | **{totals[0]}** | {totals[1]} | **{totals[2]}** |")
print("\n`passed` counts what the RFC permits, `strictly` what it prefers. Made by `Benchmarks/WebSocket/autobahn`.")
if totals[2] < SUITE:
    print(f"\nThis was a selection: {SUITE - totals[2]} of the suite's {SUITE} cases were not run.")
if failed:
    print(f"\nFailed: {', '.join(failed)}")
    sys.exit(1)
