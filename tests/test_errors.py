# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of refusal."""

import traceback

import pytest

from discreet import errors
from discreet.errors import DataError, DiscreetError, RolesError, did_you_mean, listing, quietly, shown

MARK = "SECRET-" + "7731"


def test_everything_raised_on_purpose_has_one_root():
    raised = [errors.DataError, errors.RolesError, errors.CannotRelease, errors.PromiseBroken, errors.BudgetExceeded]
    assert all(issubclass(error, DiscreetError) for error in raised)
    assert issubclass(DataError, ValueError)
    assert issubclass(RolesError, ValueError)
    assert issubclass(errors.PrivacyLeakWarning, UserWarning)


def test_listings_are_short_quoted_and_on_one_line():
    assert listing([]) == ""
    assert listing(["a", 1]) == "'a', '1'"
    assert listing(map(str, range(9)), most=2) == "'0', '1' and 7 more"
    assert "\n" not in listing(["a\nb"])
    assert len(listing(["x" * 10_000] * 3)) < 200


def test_names_are_shown_shortened():
    assert shown("age") == "'age'"
    assert len(shown("x" * 500)) == 62


def test_hints_name_the_nearest_or_nothing():
    assert did_you_mean("zipcode", ["age", "zip_code"]) == " Did you mean 'zip_code'?"
    assert did_you_mean("zipcode", ["age", "sex"]) == ""
    assert did_you_mean(7, [70, 700]) == " Did you mean '70'?"


def test_what_goes_wrong_quietly_leaves_no_trace():
    def fail():
        raise KeyError(MARK)

    result, failure = quietly(fail)
    assert (result, failure) == (None, "KeyError")
    with pytest.raises(DataError) as caught:
        raise DataError(f"It failed ({failure}).")
    assert caught.value.__context__ is None
    assert MARK not in "".join(traceback.format_exception(caught.value))


def test_quietly_passes_results_arguments_and_other_errors():
    assert quietly(divmod, 7, 2) == ((3, 1), "")
    with pytest.raises(ZeroDivisionError):
        quietly(divmod, 7, 0, errors=(ValueError,))
    with pytest.raises(KeyboardInterrupt):
        quietly(_interrupted)


def _interrupted():
    raise KeyboardInterrupt
