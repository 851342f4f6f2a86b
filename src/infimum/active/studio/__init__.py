"""A local web app in which people answer the questions of `infimum.active`; extra `studio` (Starlette, uvicorn)."""

from .journal import Journal
from .session import Session
from .task import Task, read_task

__all__ = ["Journal", "Session", "Task", "read_task"]
