"""Three quantum ways to one secret, and what each was asked.

Run: python examples/find_a_secret.py
"""

from qmastermind import Codemaker, get_solver


def main() -> None:
    for name, options in (
        ("grover", {"exact": True}),
        ("deutsch", {}),
        ("deutsch", {"pairs": "paths"}),
        ("adaptive", {}),
    ):
        codemaker = Codemaker("RIOR")
        solution = get_solver(name, seed=1, **options).solve(codemaker)
        assert solution.verified
        asked = codemaker.queries
        print(f"{name:9} {options!s:20} {solution.code}  queries by model: {asked.models}")


if __name__ == "__main__":
    main()
