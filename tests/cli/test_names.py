"""Names of classes on the command line: look-alikes, --merge-classes, --separator and --classes."""

import csv
import random

import pytest

from infimum.cli._options import class_list, names_in_list
from infimum.io import read_table
from infimum.io._load import load_table
from infimum.io.tables import write_rows

TOPICS = {
    "billing": ["invoice wrong amount", "charged twice this month"],
    "refund": ["want my money back", "refund not arrived yet"],
    "login": ["cannot log in", "password reset mail never came"],
    "shipping": ["parcel not arrived", "tracking number does not work"],
    "spam": ["win a prize now", "cheap pills best price"],
    "shipping, damaged": ["box was crushed", "item broken on arrival"],
}
MISSPELT = {
    "billing": "biling", "refund": "refnd", "login": "log in", "shipping": "shiping", "spam": "Spam?",
    "shipping, damaged": "shipping,damaged",
}  # fmt: skip
CLASSES = sorted(TOPICS)


@pytest.fixture
def tickets(here):
    """A table of support tickets with six classes, written in every way that people write them."""
    r = random.Random(7)
    with open(here / "tickets.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["message", "amount", "label"])
        for k in range(300):
            topic = r.choice(CLASSES)
            other = r.choice([name for name in CLASSES if name != topic])
            label = [
                topic, topic, topic, topic, topic, f"{topic}|{other}", f"{other} | {topic}", f"!{other}", f"!{other}",
                "", f"{topic} ", f"{topic}\u00a0",
            ][k % 12]  # fmt: skip
            if k % 25 == 24:
                label = [f"{topic};{other}", topic.capitalize(), MISSPELT[topic]][k // 25 % 3]
            writer.writerow([r.choice(TOPICS[topic]), round(r.uniform(0, 80), 2), label])
    return "tickets.csv"


def test_default_fit_names_every_look_alike(tickets, as_json, infimum):
    found = as_json("fit", tickets, "--target", "label")
    classes, named = found["classes"], {one["name"] for one in found["look_alikes"]}
    assert len({name.strip() for name in classes}) == len(classes)
    assert set(classes) - named == set(CLASSES)
    assert not found["merged"]
    assert not any("look like" in note for note in found["notes"])


def test_merge_classes_leaves_the_real_classes(tickets, infimum, as_json, here):
    found = as_json("fit", tickets, "--target", "label", "--merge-classes")
    assert sorted(found["classes"]) == CLASSES
    assert found["merged"]
    assert len(found["look_alikes"]) >= 8
    shown = infimum("clean", tickets, "--target", "label", "--merge-classes", "--weights", "kernel")
    assert "Merged classes" in shown
    assert "joined names" in shown
    with open(here / "clean.csv", encoding="utf-8") as file:
        assert {row["clean"] for row in csv.DictReader(file)} <= set(CLASSES)


@pytest.mark.parametrize("command", ["fit", "clean", "report"])
def test_commands_print_look_alikes(command, infimum, here):
    rows = "".join(f"{k},{'cat' if k % 2 else 'dog'}\n" for k in range(24))
    (here / "a.csv").write_text("x,label\n" + rows + "30,Cat\n31,cat;dog\n")
    shown = infimum(command, "a.csv", "-t", "label", "--weights", "kernel")
    assert "Look-alike classes; merge them with --merge-classes" in shown
    assert "'cat;dog'" in shown
    assert "'cat' or 'dog'" in shown
    assert "Note:" not in shown.replace("Note: The comp", "")


def test_separator_and_classes(infimum, as_json, here):
    rows = "".join(f"{k},{'cat' if k % 2 else 'dog'}\n" for k in range(24))
    (here / "a.csv").write_text("x,label\n" + rows + '30,cat;dog\n31,"owl, grey"\n')
    (here / "names.txt").write_text("\ufeffcat\ndog\n\nowl, grey\n", encoding="utf-8")
    for names in ("names.txt", "cat, dog, 'owl, grey'", 'cat,dog,"owl, grey"'):
        found = as_json("fit", "a.csv", "-t", "label", "--weights", "kernel", "--separator", ";", "--classes", names)
        assert found["classes"] == ["cat", "dog", "owl, grey"]
        assert not found["look_alikes"]
    said = infimum("fit", "a.csv", "-t", "label", "--separator", "|", code=1)
    assert "--separator must be text other than" in said
    said = infimum("fit", "a.csv", "-t", "x", "--kind", "number", "--classes", "a,b", code=1)
    assert "which has no classes, tags or items" in said


def test_unknown_names_are_grouped_in_one_error(infimum, here):
    rows = "".join(f"{k},cat;dog\n{k},Cat\n{k},zebra\n" for k in range(13))
    (here / "a.csv").write_text("x,label\n0,cat\n1,dog\n" + rows)
    for command in ("fit", "clean", "report"):
        said = infimum(command, "a.csv", "-t", "label", "--classes", "cat,dog", code=1)
        assert "a.csv: 39 rows contain names that --classes does not list." in said
        assert "'cat;dog' ×13, first in line 4; closest: 'cat' or 'dog'" in said
        assert "'Cat' ×13, first in line 5; closest: 'cat'" in said
        assert said.count("zebra") == 1
    said = infimum("fit", "a.csv", "-t", "label", "--classes", "cat,dog", "--merge-classes", code=1)
    assert "13 rows contain" in said
    assert "'Cat'" not in said


def test_convert_merges_names(infimum, as_json, here):
    rows = "".join(f"{k},cat,cat\n{k}b,dog,dog\n" for k in range(6))
    (here / "votes.csv").write_text("id,a,b\n" + rows + "x,Cat,Cat\ny,cat;dog,\n")
    options = ("votes.csv", "--from", "votes", "--row", "id", "--annotators", "union")
    assert "Look-alike classes" in infimum("convert", *options)
    found = as_json("convert", *options, "--merge-classes")
    assert found["merged"]
    assert {one["name"] for one in found["look_alikes"]} == {"Cat", "cat;dog"}
    assert read_table(here / "labels.csv", "label", kind="labels").y[-2:] == ["cat", {"cat", "dog"}]


def test_rankings_with_other_signs(as_json, here):
    rows = "".join(f"{k},apple ≻ fig\n{k},apple ~ pear > fig\n{k},pear = fig\n" for k in range(5))
    (here / "a.csv").write_text("x,order\n" + rows + "9,Apple > fig\n", encoding="utf-8")
    found = as_json("fit", "a.csv", "-t", "order", "--weights", "kernel", "--merge-classes")
    assert found["kind"] == "ranking"
    assert found["classes"] == ["apple", "fig", "pear"]
    assert [one["name"] for one in found["look_alikes"]] == ["Apple"]


def test_lists_of_names():
    assert names_in_list("a, b,,'c, d' ,\"e, f\"") == ["a", "b", "c, d", "e, f"]
    assert names_in_list("don't know, can't say") == ["don't know", "can't say"]
    with pytest.raises(ValueError, match=r"--classes must list distinct names\. Got 'a' twice"):
        class_list("a,b,a")


@pytest.mark.parametrize("name", ["tickets.xlsx", "tickets.csv.gz", "tickets.json", "semicolons.csv"])
def test_names_in_other_formats(name, tickets, here, as_json):
    """Names are merged and the kinds of columns are set in every format."""
    loaded = load_table(here / tickets)
    if name == "semicolons.csv":
        rows = [[row.value[column] for column in loaded.columns] for row in loaded.rows]
        with open(here / name, "w", newline="", encoding="utf-16") as file:
            csv.writer(file, delimiter=";").writerows([loaded.columns, *rows])
    else:
        write_rows(here / name, loaded.columns, [row.value for row in loaded.rows])
    classes = '"shipping, damaged",billing,refund,login,shipping,spam'
    names = ("--separator", ";", "--merge-classes", "--classes", classes)
    model = ("--weights", "kernel", "--principle", "infimum", "--column", "amount=category", "--ignore", "message")
    found = as_json("fit", name, "-t", "label", *names, *model)
    assert sorted(found["classes"]) == CLASSES
    assert found["merged"]
    assert [line.split(":")[0] for line in found["columns"]] == loaded.columns
    assert "category" in found["columns"][1]
    assert found["columns"][0] == "message: ignored, left out"


@pytest.mark.parametrize("kind, cells", [("tags", ("yes", "no", "")), ("ranking", ("1", "2", "3"))])
def test_classes_of_several_target_columns(here, infimum, kind, cells):
    """Each column is a tag or an item; a name without a column is a tag that no row mentions."""
    rows = [["x", "red", "round", "soft"], *[[k, *cells[k % 2 :], *cells[: k % 2]] for k in range(8)]]
    with open(here / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    several = ["fit", "t.csv", "--kind", kind, *(word for name in rows[0][1:] for word in ("--target", name))]
    infimum(*several, "--classes", "soft, round, red, heavy")
    said = infimum(*several, "--classes", "red, round", code=1)
    assert "does not list the target columns 'soft'" in said
    assert "--merge-classes to one target column" in infimum(*several, "--merge-classes", code=1)
    numbers = ["fit", "t.csv", "--kind", "number", "--target", "x", "--target", "red", "--classes", "a, b"]
    assert "columns of kind 'number'" in infimum(*numbers, code=1)


def test_score_merges_the_names_that_fit_merged(here, as_json):
    rows = "".join(f"{k},{'cat' if k < 12 else 'dog'}\n" for k in range(24))
    (here / "a.csv").write_text("x,label\n" + rows + "0,Cat\n")
    (here / "new.csv").write_text("x,label\n0,Cat\n1,cat\n23,dog\n")
    as_json("fit", "a.csv", "-t", "label", "--merge-classes")
    found = as_json("score", "model.skops", "new.csv")
    assert (found["rows"], found["agreement"], found["notes"]) == (3, 1, [])
