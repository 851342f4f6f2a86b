"""What every HTML report must satisfy."""

import re


def check_is_one_file(page: str) -> None:
    """Check that an HTML report is complete and loads nothing else."""
    assert page.lstrip().lower().startswith("<!doctype html")
    assert page.rstrip().endswith("</html>")
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)
    assert "src=" not in page
    assert "@import" not in page


def check_names(page: str, words: tuple[str, ...]) -> None:
    """Check that the text of a report contains each word."""
    text = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]*>", " ", page, flags=re.S)
    missing = [word for word in words if not re.search(rf"\b{re.escape(word)}\b", text)]
    assert not missing
