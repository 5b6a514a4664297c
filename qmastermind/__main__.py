"""``python -m qmastermind``."""

from qmastermind.cli import main

if __name__ == "__main__":
    main()
