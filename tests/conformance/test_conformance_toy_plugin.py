"""A third party's plugin: built, installed beside the package, found, and passing the suite."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "toy_backend"

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment of a process that has the plugin."""
    folder = tmp_path_factory.mktemp("toy")
    source, site = folder / "source", folder / "site"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
    command += ["--quiet", "--disable-pip-version-check", "--target", str(site), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}, source


def python(environment, *arguments):
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False
    )


def test_the_plugin_is_listed_with_its_distribution(installed):
    script = "from qmastermind.registry import registered_backends as r; p = r()['toy']; "
    script += "print(p.distribution, p.problem or 'fine', p.cls.info.versions())"
    done = python(installed[0], "-c", script)
    assert done.stdout.strip() == "qmastermind-toy fine {'qmastermind-toy': '0.1.0'}", done.stderr


def test_the_plugin_passes_the_suite(installed):
    environment, source = installed
    options = ["-q", "-p", "no:cacheprovider", "-W", "error"]
    done = python(environment, "-m", "pytest", *options, str(source / "test_toy.py"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "TestToy: " in done.stdout
    assert "conformance cases checked" in done.stdout
