"""The export of the walk-through: 160 notes on animals as Label Studio writes them, drawn from a seed.

python export.py writes animals.json. Two annotators tick what an animal may be. They never part jackdaw from crow, they
contradict each other once, two notes have the wrong answer, and a few are skipped.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

NOTES = {
    "cat": ["purrs on the sofa", "naps in the sun", "chases a ball of wool", "purrs and licks its paw"],
    "dog": ["barks at the postman", "fetches the stick", "wags its tail", "barks and runs along the fence"],
    "owl": ["hoots at night", "sits still on the beam", "turns its head around", "hoots from the barn"],
    "crow": ["caws on the roof", "picks at the bin", "caws and flies off", "walks on the lawn"],
    "jackdaw": ["caws on the chimney", "picks at the bread", "caws with the others", "walks on the roof"],
}
WEIGHT = {"cat": 4.2, "dog": 14.0, "owl": 0.5, "crow": 0.52, "jackdaw": 0.24}
LOOKS_LIKE = {"cat": ["dog", "owl"], "dog": ["cat"], "owl": ["cat"], "crow": ["owl"], "jackdaw": ["owl"]}


def task(key: int, kind: str, draw: random.Random) -> dict:
    """One note, its answers and, for every fourth, what it really was."""

    def ticked() -> list[str]:
        names = {kind} | {name for name in LOOKS_LIKE[kind] if draw.random() < 0.35}
        return sorted(names | {"crow", "jackdaw"} if names & {"crow", "jackdaw"} else names)

    def annotation(who: str, names: list[str]) -> dict:
        value = [{"type": "choices", "from_name": "animal", "to_name": "note", "value": {"choices": names}}]
        return {"completed_by": {"email": who}, "was_cancelled": not names, "result": value if names else []}

    wrong = {36: ["owl"], 52: ["cat"]}  # a slip of the mouse
    said = [annotation("ann@example.org", [] if key % 29 == 0 else wrong.get(key) or ticked())]
    if key % 2:
        said.append(annotation("bo@example.org", ["dog"] if kind == "cat" and key % 31 == 0 else ticked()))
    data = {
        "note": f"it {draw.choice(NOTES[kind])}",
        "weight": round(WEIGHT[kind] * draw.lognormvariate(0, 0.25), 2),
        "place": draw.choice(["garden", "street", ""]),
        "truth": kind if key % 4 == 0 else "",
    }
    return {"id": key, "data": data, "annotations": said}


def main() -> None:
    draw = random.Random(0)
    kinds = [draw.choice(list(NOTES)) for _ in range(160)]
    tasks = [task(key, kind, draw) for key, kind in enumerate(kinds, 1)]
    Path("animals.json").write_text(json.dumps(tasks, indent=1))


if __name__ == "__main__":
    main()
