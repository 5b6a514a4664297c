"""Files that are replaced as a whole, and those that must not be."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from qmastermind import files
from qmastermind.files import replacing

posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes and permissions of POSIX")


def test_the_new_file_is_there_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    with replacing(path) as file:
        file.write("néw")
        assert path.read_text() == "old"
    assert path.read_text(encoding="utf-8") == "néw"
    with replacing(path, "wb") as file:
        file.write(b"\n\x00")
    assert path.read_bytes() == b"\n\x00"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as file:
            file.write("half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_killed_process_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    code = (
        "import os, sys; from pathlib import Path; from qmastermind.files import replacing\n"
        "with replacing(Path(sys.argv[1])) as file:\n"
        "    file.write('half'); file.flush(); os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == 9
    assert path.read_text() == "old"


@posix
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    with replacing(pipe) as file:
        file.write("through")
    reader.join(10)
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@posix
@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_a_device_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: int
) -> None:
    # A regular file that claims to be a device: no test may touch a real one.
    path = tmp_path / "device"
    path.write_text("old")
    same = path.stat().st_ino

    class Claimed:
        st_mode = kind | 0o666

    monkeypatch.setattr(files.os, "stat", lambda *_, **__: Claimed)
    monkeypatch.setattr(files.os, "replace", lambda *_: pytest.fail("replaced"))
    with replacing(path) as file:
        file.write("new")
    monkeypatch.undo()
    assert path.read_text() == "new"
    assert path.stat().st_ino == same


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    with replacing(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


@posix
def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), replacing(tmp_path) as file:
        file.write("new")


@posix
def test_private_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    for private, mode in ((True, 0o600), (False, 0o644)):
        before = os.umask(0o022)
        try:
            with replacing(tmp_path / "a", private=private) as file:
                file.write("x")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_two_threads_do_not_mix_their_files(tmp_path: Path) -> None:
    path = tmp_path / "a"

    def write(letter: str) -> None:
        for _ in range(5):
            with replacing(path) as file:
                file.write(letter * 5000)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "xy"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in ("x" * 5000, "y" * 5000)
    assert os.listdir(tmp_path) == ["a"]
