"""Short sentences about people and places, some of whose labels are known, for tests of sequences."""

from infimum import Not

PEOPLE, PLACES = ("Ann", "Bob", "Eve", "Tom"), ("Rome", "Oslo", "New York", "Bonn")
NAMES = ["B-LOC", "B-PER", "I-LOC", "O"]


def sentences(n, rng):
    """Short sentences about people and places; places of two words have the label I-LOC."""
    X, y = [], []
    for _ in range(n):
        place = rng.choice(PLACES).split()
        who = str(rng.choice(PEOPLE))
        tagged = [(who, "B-PER"), (str(rng.choice(["likes", "saw", "left"])), "O")]
        tagged += [(word, "I-LOC" if k else "B-LOC") for k, word in enumerate(place)]
        if rng.random() < 0.5:
            tagged += [("with", "O"), (str(rng.choice(PEOPLE)), "B-PER")]
        X.append([word for word, _ in tagged])
        y.append([label for _, label in tagged])
    return X, y


def partly(y, rng):
    """Half of the labels; the others are sets, exclusions or unknown."""
    def cell(label):
        other = str(rng.choice(NAMES))
        wrong = [name for name in NAMES if name != label]
        return [label, label, {label, other}, Not(str(rng.choice(wrong))), None][rng.integers(5)]

    return [[cell(label) for label in row] for row in y]
