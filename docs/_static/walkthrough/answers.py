"""Answers to the cheapest question of the walk-through: python answers.py animals.csv writes answered.csv.

Eight notes on crows and jackdaws, of which somebody knows which they were.
"""

from __future__ import annotations

import csv
import sys

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
asked = [row for row in rows if row["truth"] in ("crow", "jackdaw")][:8]
for row in asked:
    row["label"] = row["truth"]
with open("answered.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
