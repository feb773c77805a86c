# SPDX-License-Identifier: Apache-2.0
"""A bar only when shown, only after two seconds, only on the standard error stream."""

import sys
import threading

import pytest

import discreet.foundation.progress
from discreet.foundation.progress import Progress, progress, show, track


class Clock:
    """Time that passes when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(discreet.foundation.progress, "_clock", clock)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then treats the captured stream as a terminal
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TTY_INTERACTIVE", "1")
    show(True)
    yield clock
    show(False)
    assert discreet.foundation.progress._display._rich is None, "a display was left open"


def work(bar: Progress, clock: Clock, seconds: float, steps: int = 10) -> None:
    for _ in range(steps):
        clock.now += seconds / steps
        bar.advance()


def test_nothing_appears_when_it_is_not_shown(clock, capsys):
    show(False)
    with progress("counting", total=10) as bar:
        work(bar, clock, 60)
    assert bar.done == 10
    assert capsys.readouterr() == ("", "")


def test_nothing_appears_within_two_seconds(clock, capsys):
    with progress("counting", total=10) as bar:
        work(bar, clock, 1.9)
    assert capsys.readouterr() == ("", "")


def test_a_bar_appears_after_two_seconds_on_standard_error_only(clock, capsys):
    with progress("counting [rows]", total=10) as bar:
        work(bar, clock, 10)
    out, err = capsys.readouterr()
    assert out == ""
    assert "counting [rows]" in err


def test_what_is_printed_meanwhile_goes_where_it_should(clock, capsys):
    with progress("counting", total=10) as bar:
        work(bar, clock, 5)
        before = sys.stdout
        sys.stdout.write('{"k": 5}\n')
        work(bar, clock, 5)
        assert sys.stdout is before
    assert capsys.readouterr().out == '{"k": 5}\n'


def test_a_stream_that_is_no_terminal_stays_clean(clock, capsys, monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name)
    with progress("counting", total=10) as bar:
        work(bar, clock, 10)
    assert capsys.readouterr() == ("", "")


def test_the_time_left_is_that_of_the_mean_pace_and_runs_down(clock, capsys):
    """Work that is done in bursts, as by several processes: what two of them did at once says nothing of the pace."""
    with progress("releases", total=10) as bar:
        clock.now += 30
        bar.advance(0)
        assert "left" not in capsys.readouterr().err
        bar.advance()
        clock.now += 0.3
        bar.advance()
        assert "0:02:01 left" in capsys.readouterr().err
        clock.now += 20
        bar.advance(0)
        assert "0:01:41 left" in capsys.readouterr().err
        clock.now += 7200
        bar.advance(0)
        assert "0:00:00 left" in capsys.readouterr().err


def test_bars_may_be_nested(clock, capsys):
    with progress("folds", total=3) as outer:
        for _ in range(3):
            with progress("rows", total=10) as inner:
                work(inner, clock, 6)
            outer.advance()
    err = capsys.readouterr().err
    assert "folds" in err
    assert "rows" in err


def test_bars_may_end_in_any_order(clock, capsys):
    first, second = Progress("first", 10), Progress("second", 10)
    work(first, clock, 5)
    work(second, clock, 5)
    first.close()
    work(second, clock, 5)
    second.close()
    second.close()
    first.close()
    assert "second" in capsys.readouterr().err


def test_a_bar_closes_on_error(clock, capsys):
    def fail():
        with progress("counting", total=10) as bar:
            work(bar, clock, 10)
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        fail()
    assert "counting" in capsys.readouterr().err


def test_threads_may_advance_one_bar(clock, capsys):
    with progress("counting", total=400) as bar:
        clock.now += 3
        threads = [threading.Thread(target=work, args=(bar, clock, 1, 100)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert "counting" in capsys.readouterr().err


def test_tracking_goes_through_everything_with_or_without_a_length(clock, capsys):
    def slowly(items):
        for item in items:
            clock.now += 1
            yield item

    assert list(track(range(5), "five")) == [0, 1, 2, 3, 4]
    assert list(track(slowly(range(5)), "unknown")) == [0, 1, 2, 3, 4]
    assert list(track(slowly(range(5)), "given", total=5)) == [0, 1, 2, 3, 4]
    for item in track(slowly(range(50)), "left early"):
        if item == 9:
            break
    err = capsys.readouterr().err
    assert "unknown" in err
    assert "left early" in err
    assert "five" not in err


def test_no_thread_runs_in_the_background(clock):
    before = set(threading.enumerate())  # one of another test may end meanwhile
    with progress("counting", total=10) as bar:
        work(bar, clock, 10)
        assert set(threading.enumerate()) <= before
