"""Every group of the campaign within a fixed time, the same cases every time."""

import os

import pytest
from hypothesis import HealthCheck, given, settings

from .contract import Case, check
from .groups import GROUPS, Group, warm

BUDGET = int(os.environ.get("INFIMUM_CAMPAIGN", "40"))
"""Cases a group, for a share of one; `make campaign` tries many more, and new ones every time."""


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_correct_result_or_an_error_that_explains_itself(group: Group):
    @settings(
        max_examples=max(10, int(BUDGET * group.share)), derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    @given(group.cases)
    def one(case: Case) -> None:
        check(case)

    warm()
    one()
