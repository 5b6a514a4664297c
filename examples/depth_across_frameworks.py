"""The same oracle through every framework that is installed, counted by one counter.

Run: python examples/depth_across_frameworks.py
"""

from qmastermind import CircuitBuilder, Register, registered_backends
from qmastermind.comparison import FRAMEWORKS, compare, to_markdown


def main() -> None:
    builder = CircuitBuilder(Register("x", 6))
    builder.z(5, controls=range(5))
    known = registered_backends()
    installed = [
        name
        for name in FRAMEWORKS
        if name in known and known[name].cls and not known[name].cls.info.missing()
    ]
    rows = compare(builder.build(), name="5-control Z", backends=installed, ancillas=(0, 1))
    print(to_markdown(rows))
    assert all(row.equivalent for row in rows if row.status == "ok")


if __name__ == "__main__":
    main()
