import pytest


def test_json(run):
    report = run("strategy", "entropy", "--json").json
    assert report["total"] == 5722
    assert report["mean"] == pytest.approx(4.41512, abs=1e-5)
    assert report["max"] == 6
    assert report["distribution"] == [1, 4, 71, 612, 596, 12]
    assert (report["decisions"], report["ties"], report["ties_across_cuts"]) == (404, 375, 0)
    assert report["opening"] == "ROYG"
    assert report["secrets"] == 1296


def test_text_states_the_convention(run):
    out = run("strategy", "knuth").out
    assert "total 5,801 over 1,296 secrets, mean 4.47608, at most 5" in out
    assert "1 6 62 533 694" in out
    assert "guesses from all codes" in out
    assert "Knuth 1977" in out
    assert "no scores to tie" in run("strategy", "simple").out


def test_options(run):
    report = run(
        "strategy", "minimax", "--consistent", "--opening", "RGBY", "--rules", "classic", "--json"
    ).json
    assert (report["total"], report["consistent"], report["forced_opening"]) == (5825, True, True)
    small = ("--positions", 3, "--colours", 5, "--no-repeats", "--json")
    report = run("strategy", "most-parts", *small).json
    assert report["secrets"] == 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("strategy", "knoth"), "unknown strategy 'knoth'"),
        (("strategy", "minimax", "--opening", "11"), "too short: 2 pegs, expected 4"),
        (("strategy", "minimax", "--opening", "1199"), "no colour of these rules"),
        (("strategy", "simple", "--positions", 8, "--colours", 12), "429,981,696"),
        (("solve", "--solver", "entropy", "--positions", 8, "--colours", 12), "human, genetic"),
        (("solve", "--solver", "permutation"), "plays games without repeats"),
        (("solve", "--solver", "genetic", "--consistent"), "has no option --consistent"),
        (("solve", "--solver", "knuth", "--opening", "111"), "too short"),
    ],
)
def test_bad_input(run, arguments, message):
    result = run(*arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not result.out


NAMES = "knuth minimax expected-size entropy most-parts lexicographic simple genetic human"


@pytest.mark.parametrize("name", NAMES.split())
def test_solve(run, name):
    report = run("solve", "--solver", name, "--secret", "OOYG", "--seed", 1, "--json").json
    assert report["solution"] == "OOYG"
    assert report["solved"]
    assert report["queries"]["classical"] == len(report["guesses"])


def test_solve_permutation(run):
    options = ("--positions", 12, "--colours", 15, "--no-repeats", "--seed", 2)
    report = run("solve", "--solver", "permutation", *options, "--json").json
    assert report["solved"]
    assert report["queries"]["classical"] == len(report["guesses"]) <= report["query_bound"]


def test_solve_shows_the_reasoning(run):
    out = run("solve", "--solver", "human", "--secret", "RBRY").out
    assert "first rows: RROO, Red and Orange are new" in out


def test_game_of_the_article(run):
    out = run(
        "solve", "--solver", "minimax", "--consistent", "--opening", "RGBY", "--secret", "OOYG"
    ).out
    places = [out.index(guess) for guess in ("RGBY", "OROB", "OYRI", "BRII", "OOYG")]
    assert places == sorted(places)
