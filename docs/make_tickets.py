"""Write the support tickets that the package ships: `python docs/make_tickets.py`.

The tables are invented. `tickets.csv` has 240 rows whose `label` is a partial label: exact, several candidates, one
excluded class, or empty; `minutes` is the handling time as people write it, mostly as a range. `tickets_new.csv` has
80 rows with exact labels and times, to check a model. Text, gaps and a column of identifiers are part of the task.
"""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta
from pathlib import Path

TOPICS = {
    "account": [
        "I cannot log in since the update", "the reset link for my password has expired",
        "my profile shows the wrong email address", "please delete my user account",
        "the code for the second factor is rejected", "someone else uses my login",
        "I was logged out and my password no longer works", "how do I add a user to our team",
    ],
    "billing": [
        "the invoice of May has the wrong amount", "I was charged twice for one month",
        "the tax number is missing on the invoice", "my card was declined although it is valid",
        "please send the invoice to our accounting", "why is the price higher than on the website",
        "we pay by bank transfer, where do I enter that", "the discount code was not applied",
    ],
    "delivery": [
        "the parcel has not arrived", "the tracking number does not work", "the courier left it at the wrong address",
        "delivery was promised for Monday", "half of the order is missing in the box",
        "can you ship to another country", "the parcel is on its way for three weeks", "nobody rang, the box went back",
    ],
    "refund": [
        "I want my money back", "the refund is not on my account yet", "I returned the order two weeks ago",
        "the return label cannot be printed", "I cancelled and still wait for the money",
        "the item arrived broken, please refund it", "only a part of the price was paid back",
        "how long does a refund take",
    ],
    "technical": [
        "the app crashes when I open a report", "the page stays white in the browser", "export to a file fails",
        "the search shows no results since yesterday", "an error 500 appears when I save",
        "the app does not sync with my phone", "charts are cut off when I print them", "uploading images is very slow",
    ],
}  # fmt: skip
CONFUSED = {
    "account": ["technical", "billing"], "billing": ["refund", "account"], "delivery": ["refund"],
    "refund": ["billing", "delivery"], "technical": ["account"],
}  # fmt: skip
MINUTES = {"account": 12, "billing": 18, "delivery": 25, "refund": 35, "technical": 55}
OPENINGS = ["Hello,", "Hi,", "Good morning,", "Dear team,", "", "", "Urgent:"]
ENDINGS = ["Thanks.", "Please help.", "Best regards", "This is the second time.", "I wait for your answer.", "", ""]
CLASSES = list(TOPICS)


def ticket(number: int, rng: random.Random) -> tuple[dict[str, str], str, float]:
    """Return the features of a ticket, its true class and its true handling time in minutes."""
    topic = rng.choices(CLASSES, [4, 5, 5, 4, 5])[0]
    text = rng.choice(TOPICS[topic])
    if rng.random() < 0.15:
        text += ", and " + rng.choice(TOPICS[rng.choice(CONFUSED[topic])])
    day = date(2026, 1, 5) + timedelta(days=rng.randrange(180))
    replies = rng.choices([0, 1, 2, 3, 4, 5], [2, 5, 4, 3, 2, 1])[0]
    plan = rng.choice(["free", "team", "team", "company", ""])
    minutes = MINUTES[topic] * (0.7 + 0.25 * replies) * (1.3 if plan == "company" else 1) * rng.uniform(0.8, 1.25)
    paid = rng.uniform(20, 400) if topic in ("billing", "refund") else rng.uniform(5, 120)
    row = {
        "id": f"T-{number}", "received": day.isoformat(), "channel": rng.choice(["email", "chat", "phone", ""]),
        "plan": plan, "message": " ".join(filter(None, [rng.choice(OPENINGS), text + ".", rng.choice(ENDINGS)])),
        "paid": "" if rng.random() < 0.15 else f"{paid:.2f}", "replies": str(replies),
    }  # fmt: skip
    return row, topic, round(minutes, 1)


def partial_label(topic: str, rng: random.Random) -> str:
    """Return a cell that is consistent with the true class."""
    kind = rng.choices(["exact", "two", "three", "not", "empty"], [35, 30, 12, 8, 15])[0]
    others = [name for name in CLASSES if name != topic]
    if kind == "exact":
        return topic
    if kind == "empty":
        return ""
    if kind == "not":
        return "!" + rng.choice(others)
    names = {topic, rng.choice(CONFUSED[topic])}
    if kind == "three":
        names.add(rng.choice([name for name in others if name not in names]))
    return "|".join(sorted(names))


def written_range(minutes: float, rng: random.Random) -> str:
    """Return the handling time as people write it."""
    kind = rng.choices(["exact", "range", "open", "empty"], [25, 45, 20, 10])[0]
    if kind == "empty":
        return ""
    if kind == "exact":
        return f"{minutes:g}"
    steps = [0, 5, 10, 20, 30, 45, 60, 90, 120, 240]
    low = max(step for step in steps if step <= minutes)
    high = min(step for step in steps if step > minutes)
    if kind == "open":
        return f"over {low}" if low >= 30 else f"under {high}"
    return f"{low}-{high}"


def main(folder: Path) -> None:
    rng = random.Random(2026)
    tables: dict[str, list[dict[str, str]]] = {"tickets.csv": [], "tickets_new.csv": []}
    for number in range(320):
        row, topic, minutes = ticket(1000 + number, rng)
        if number < 240:
            row |= {"label": partial_label(topic, rng), "minutes": written_range(minutes, rng)}
            tables["tickets.csv"].append(row)
        else:
            tables["tickets_new.csv"].append(row | {"label": topic, "minutes": f"{minutes:g}"})
    for name, rows in tables.items():
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(Path(__file__).parents[1] / "src" / "infimum" / "datasets" / "tables")
