"""A local page on which people answer the questions of `infimum.active`; extra `studio` (Starlette, uvicorn)."""

from .desk import Desk
from .journal import Journal
from .table import Sheet, read_sheet

__all__ = ["Desk", "Journal", "Sheet", "read_sheet"]
