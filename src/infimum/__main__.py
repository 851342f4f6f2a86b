"""The command line: ``python -m infimum`` is the command ``infimum``."""

from .cli import app

if __name__ == "__main__":
    app()
